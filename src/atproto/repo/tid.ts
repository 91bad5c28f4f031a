/** A TID, as revs and most record keys are: 13 letters that stand for 64 bits, of which 53 are Unix microseconds. They sort as their times do. */

const LETTERS = "234567abcdefghijklmnopqrstuvwxyz";
/** Five bits each; the first has four. */
const TID = /^[234567abcdefghij][234567a-z]{12}$/;
/** Tells clocks apart that write in the same microsecond. */
const CLOCK_BITS = 10n;

export const isTid = (text: string): boolean => TID.test(text);

/** Null when the text is not a TID. */
export function tidNumber(text: string): bigint | null {
  if (!TID.test(text)) return null;
  let [high, low] = [0, 0];
  // 64 bits: 7 letters and 6 letters fit into numbers that are exact.
  for (let index = 0; index < 7; index++) high = high * 32 + LETTERS.indexOf(text[index]!);
  for (let index = 7; index < 13; index++) low = low * 32 + LETTERS.indexOf(text[index]!);
  return (BigInt(high) << 30n) | BigInt(low);
}

export function tidText(number: bigint): string {
  let high = Number(number >> 30n);
  let low = Number(number & 0x3fff_ffffn);
  let text = "";
  for (let index = 0; index < 6; index++, low = Math.floor(low / 32)) text = LETTERS[low % 32] + text;
  for (let index = 0; index < 7; index++, high = Math.floor(high / 32)) text = LETTERS[high % 32] + text;
  return text;
}

/** Unix ms; null when the text is not a TID. */
export function tidTime(text: string): number | null {
  const number = tidNumber(text);
  return number === null ? null : Number(number >> CLOCK_BITS) / 1000;
}
