/** Makes inputs from others: bytes flipped, pieces removed, repeated, exchanged and inserted. The same seed makes the same inputs. */

type Random = (below: number) => number;

export const MAX_INPUT = 16_384;

const BYTES = [
  0, 1, 9, 10, 13, 0x20, 0x22, 0x27, 0x2a, 0x2f, 0x3c, 0x3e, 0x5c, 0x7f, 0x80, 0xc0, 0xe2, 0xed, 0xf8, 0xfe, 0xff,
];
const NUMBERS = ["0", "-1", "1e309", "4294967296", "9007199254740993", "99999999999999999999", "0x7f", "NaN", "1.5"];

type Mutation = (input: Buffer, random: Random, words: readonly Buffer[], others: readonly Buffer[]) => Buffer;

const part = (input: Buffer, random: Random): [start: number, end: number] => {
  const start = random(input.length + 1);
  return [start, Math.min(input.length, start + 1 + random(random(8) === 0 ? 512 : 16))];
};
const put = (input: Buffer, start: number, end: number, piece: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, start), piece, input.subarray(end)]);
const pick = <Item>(items: readonly Item[], random: Random): Item => items[random(items.length)]!;

const MUTATIONS: readonly Mutation[] = [
  (input, random) => {
    const at = random(Math.max(1, input.length));
    return put(input, at, at + 1, Buffer.of((input[at] ?? 0) ^ (1 << random(8))));
  },
  (input, random) => {
    const at = random(input.length + 1);
    return put(input, at, at + random(2), Buffer.of(pick(BYTES, random)));
  },
  (input, random) => put(input, ...part(input, random), Buffer.alloc(0)),
  (input, random) => {
    const [start, end] = part(input, random);
    const times = 1 + random(random(6) === 0 ? 200 : 4);
    return put(input, end, end, Buffer.concat(Array.from({ length: times }, () => input.subarray(start, end))));
  },
  (input, random) => {
    const [start, end] = part(input, random);
    return put(input, random(input.length + 1), input.length, input.subarray(start, end));
  },
  (input, random, words) => {
    const at = random(input.length + 1);
    return words.length === 0 ? input : put(input, at, at, pick(words, random));
  },
  (input, random, words) => (words.length === 0 ? input : put(input, ...part(input, random), pick(words, random))),
  (input, random, _words, others) => {
    const other = pick(others, random);
    return Buffer.concat([input.subarray(0, random(input.length + 1)), other.subarray(random(other.length + 1))]);
  },
  (input, random) => {
    const [at] = part(input, random);
    return put(input, at, at, Buffer.alloc(1 + random(2_000), pick(BYTES, random)));
  },
  (input, random) => put(input, ...part(input, random), Buffer.from(pick(NUMBERS, random))),
];

export function mutate(input: Buffer, random: Random, words: readonly Buffer[], others: readonly Buffer[]): Buffer {
  let changed = input;
  for (let count = 1 + random(6); count > 0; count--) changed = pick(MUTATIONS, random)(changed, random, words, others);
  return changed.subarray(0, MAX_INPUT);
}
