/** A value that follows another once it has rested: for questions about what is being typed. */
import { useEffect, useState } from "react";

export function useRested<T>(value: T, ms = 300): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}
