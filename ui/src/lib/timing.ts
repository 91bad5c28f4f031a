/** Values that follow others with a delay, so that typing and scrolling do not send a request for every step. */
import { useEffect, useRef, useState } from "react";

export function useRested<T>(value: T, ms = 300): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}

// A value that follows another, but not more often than every `ms`: for questions about what is being scrolled past.

export function useThrottled<T>(value: T, ms: number): T {
  const [followed, setFollowed] = useState(value);
  const changedAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, changedAt.current + ms - performance.now());
    const timer = setTimeout(() => {
      changedAt.current = performance.now();
      setFollowed(value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return followed;
}
