/** The order of the format: strings compared by their UTF-8 bytes. */

const FIRST_SURROGATE = 0xd800;

/**
 * UTF-16, the order of JavaScript, differs only where a surrogate pair (beyond U+FFFF) meets U+E000 to U+FFFF: there the
 * pair is the greater one.
 */
export function compareBytewise(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    if (left < FIRST_SURROGATE || right < FIRST_SURROGATE) return left - right;
    return (a.codePointAt(index) ?? left) - (b.codePointAt(index) ?? right);
  }
  return a.length - b.length;
}
