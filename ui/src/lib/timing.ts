/** Values that change with time: the current time, and values that follow others with a delay, so that typing and scrolling do not send a request at every step. */
import { useEffect, useRef, useState } from "react";

/** A value that follows another once it has stopped changing: for requests about what is being typed. */
export function useRested<T>(value: T, ms = 300): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}

/** A value that follows another at most every `ms`: for requests about what is being scrolled past. */
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

/** The current time, updated every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
