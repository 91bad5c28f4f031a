/** Pairs what should be in a file with what is there, by checks: shows what was lost, added or changed. */

interface Checked {
  check: number;
}

/**
 * Both: they belong together. Only one: the other is lost, or never existed. `isSpoilt`: a line instead of a lost one.
 */
interface Pair<Entry, Line> {
  entry: Entry | null;
  line: Line | null;
  isSpoilt: boolean;
}

/** How far to look first for a point where both sides agree again; doubled each time that is not enough. */
const FIRST_LOOK = 64;

/** Pairs what is remembered of lines with the lines that are there, in their order. */
export async function* align<Entry extends Checked, Line extends Checked>(
  entries: AsyncIterable<Entry>,
  lines: AsyncIterable<Line>,
): AsyncGenerator<Pair<Entry, Line>> {
  const left = new LookAhead(entries);
  const right = new LookAhead(lines);
  for (;;) {
    const [entry] = await left.see(1);
    const [line] = await right.see(1);
    if (entry === undefined && line === undefined) return;
    const isPair = entry !== undefined && line !== undefined && entry.check === line.check;
    const [lost, extra] = isPair ? [0, 0] : await meeting(left, right);
    for (let at = 0; at < lost; at++) yield { entry: left.shift(), line: null, isSpoilt: false };
    for (let at = 0; at < extra; at++) yield { entry: null, line: right.shift(), isSpoilt: at < lost };
    if (isPair) yield { entry: left.shift(), line: right.shift(), isSpoilt: false };
  }
}

/** How many of each to skip until both sides agree again; all of them when they never do. */
async function meeting(left: LookAhead<Checked>, right: LookAhead<Checked>): Promise<[lost: number, extra: number]> {
  for (let look = FIRST_LOOK; ; look *= 2) {
    const entries = await left.see(look);
    const lines = await right.see(look);
    const places = new Map<number, number>();
    for (const [at, { check }] of entries.entries()) if (!places.has(check)) places.set(check, at);
    let best: [number, number] | null = null;
    for (const [extra, { check }] of lines.entries()) {
      const lost = places.get(check);
      if (lost !== undefined && (best === null || lost + extra < best[0] + best[1])) best = [lost, extra];
    }
    if (best !== null) return best;
    if (entries.length < look && lines.length < look) return [entries.length, lines.length];
  }
}

class LookAhead<T> {
  readonly #source: AsyncIterator<T>;
  #seen: T[] = [];
  #isDone = false;

  constructor(source: AsyncIterable<T>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next items, at most `count`. */
  async see(count: number): Promise<T[]> {
    while (this.#seen.length < count && !this.#isDone) {
      const { value, done } = await this.#source.next();
      if (done) this.#isDone = true;
      else this.#seen.push(value);
    }
    return this.#seen.length <= count ? this.#seen : this.#seen.slice(0, count);
  }

  shift(): T {
    return this.#seen.shift()!;
  }
}
