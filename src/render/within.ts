/** Waits for a promise, but not for ever: a page that hangs must not hang us. */

export const LATE = Symbol("late");

export function within<T>(promise: Promise<T>, ms: number): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.max(0, ms), LATE);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
