/** A value that follows another, but not more often than every `ms`: for questions about what is being scrolled past. */
import { useEffect, useRef, useState } from "react";

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
