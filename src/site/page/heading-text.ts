/** The headings of one level: how many there are, and where the text of the first one stands. */

export class HeadingText {
  count = 0;
  /** The level of the open element whose text counts, or -1. */
  level = -1;
  #start = 0;
  #end = 0;

  /** A heading begins; `level` is -1 when its end will not be told. */
  open(level: number, position: number): void {
    this.count++;
    if (this.count > 1) return;
    this.level = level;
    this.#start = position;
    this.#end = position;
  }

  close(position: number): void {
    this.level = -1;
    this.#end = position;
  }

  /** The text of the first heading; "" when it is empty, `null` when there is no heading. */
  read(text: Buffer): string | null {
    return this.count === 0 ? null : text.toString("utf8", this.#start, this.#end).trim();
  }
}
