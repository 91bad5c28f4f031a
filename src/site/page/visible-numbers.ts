/** The numbers in a text, however they are written: 1,299.00, 1.299,00 and 1 299 are the same number. */

/** Far more than a page shows. */
const MOST_BYTES = 1 << 18;

export function visibleNumbers(text: Buffer): ReadonlySet<number> {
  const shown = text.toString("utf8", 0, Math.min(text.length, MOST_BYTES));
  const numbers = new Set<number>();
  for (const [written] of shown.matchAll(/\d+(?:[.,'’ \u00a0\u202f]\d+)*/g)) {
    numbers.add(numberOf(written));
    // A space may also separate two numbers instead of groups of digits.
    for (const part of written.split(/[ \u00a0\u202f]/)) numbers.add(numberOf(part));
  }
  return numbers;
}

/** The last separator is a decimal one if at most two digits follow it. */
function numberOf(written: string): number {
  const [, whole = written, decimals = ""] = /^(.*)[.,](\d{1,2})$/.exec(written) ?? [];
  return Number(`${whole.replaceAll(/\D/g, "")}.${decimals || "0"}`);
}
