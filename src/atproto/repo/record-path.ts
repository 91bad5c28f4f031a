/** Which texts name a record in a repo: `collection/rkey`, with the characters that the reference implementation allows. */

const PATH = /^([a-zA-Z0-9_~:.-]+)\/([a-zA-Z0-9_~:.-]+)$/;
const LONGEST = 1_024;
const DOTS = new Set([".", ".."]);

export function isRecordPath(path: string): boolean {
  const match = path.length <= LONGEST ? PATH.exec(path) : null;
  return match !== null && !DOTS.has(match[1]!) && !DOTS.has(match[2]!);
}
