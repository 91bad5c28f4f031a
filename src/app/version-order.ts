/** Which of two versions is newer, as semantic versioning orders them (semver.org, point 11). */

/** Whether `other` comes after `current`. */
export function isNewer(other: string, current: string): boolean {
  const [otherCore, otherPre] = parts(other);
  const [currentCore, currentPre] = parts(current);
  for (let index = 0; index < 3; index++) {
    const difference = (otherCore[index] ?? 0) - (currentCore[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  // A version without a pre-release part comes after all those with one.
  if (otherPre === null || currentPre === null) return otherPre === null && currentPre !== null;
  return comparePre(otherPre.split("."), currentPre.split(".")) > 0;
}

function parts(version: string): [number[], string | null] {
  const [, core = "", pre = null] = /^v?([\d.]*)(?:-([^+]*))?/.exec(version.trim()) ?? [];
  return [core.split(".").map(Number), pre];
}

function comparePre(left: string[], right: string[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [a, b] = [left[index], right[index]];
    if (a === b) continue;
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
    const areNumbers = [a, b].map((part) => /^\d+$/.test(part));
    if (areNumbers[0] && areNumbers[1]) return Number(a) - Number(b);
    if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
    return a < b ? -1 : 1;
  }
  return 0;
}
