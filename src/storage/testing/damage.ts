/** Everything that can happen to a file, byte by byte and line by line. */

export interface Damage {
  /** What was done, for messages. */
  how: string;
  bytes: Buffer;
}

/** Damages at each byte: changed in one bit, removed, one added before it, and everything from it on cut off. */
export function* byteDamages(good: Buffer, step = 1): Generator<Damage> {
  for (let at = 0; at < good.length; at += step) {
    const [before, from, after] = [good.subarray(0, at), good.subarray(at), good.subarray(at + 1)];
    const bit = (at * 7) % 8;
    yield { how: `bit ${bit} of byte ${at} changed`, bytes: Buffer.concat([before, bits(good[at]!, bit), after]) };
    yield { how: `byte ${at} removed`, bytes: Buffer.concat([before, after]) };
    yield { how: `byte added at ${at}`, bytes: Buffer.concat([before, Buffer.from([good[at]! ^ 1]), from]) };
    yield { how: `cut at ${at}`, bytes: Buffer.from(before) };
  }
  if (good.length > 0) yield { how: "byte added at the end", bytes: Buffer.concat([good, Buffer.from("x")]) };
}

/** Damages of each line: removed, written twice, and swapped with the next. */
export function* lineDamages(good: Buffer): Generator<Damage> {
  const lines = good.toString("latin1").split(/(?<=\n)/);
  const joined = (changed: string[]): Buffer => Buffer.from(changed.join(""), "latin1");
  for (const [at, line] of lines.entries()) {
    if (line === "") continue;
    yield { how: `line ${at + 1} removed`, bytes: joined(lines.toSpliced(at, 1)) };
    yield { how: `line ${at + 1} twice`, bytes: joined(lines.toSpliced(at, 0, line)) };
    const next = lines[at + 1];
    if (next !== undefined && next !== line) {
      yield { how: `lines ${at + 1} and ${at + 2} swapped`, bytes: joined(lines.toSpliced(at, 2, next, line)) };
    }
  }
}

const bits = (byte: number, bit: number): Buffer => Buffer.from([byte ^ (1 << bit)]);
