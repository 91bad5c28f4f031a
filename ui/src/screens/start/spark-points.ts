/** Where the points of a sparkline are. */

/** Room for the line's own width and the last dot. */
const PADDING = 3;

/** From zero to the largest value: starting at the smallest would make a small change look large. */
export function sparkPoints(values: readonly number[], width: number, height: number): [number, number][] {
  const top = Math.max(1, ...values);
  const step = values.length > 1 ? (width - 2 * PADDING) / (values.length - 1) : 0;
  const first = values.length > 1 ? PADDING : width - PADDING;
  return values.map((value, at) => [
    round(first + at * step),
    round(height - PADDING - (value / top) * (height - 2 * PADDING)),
  ]);
}

const round = (value: number): number => Math.round(value * 10) / 10;
