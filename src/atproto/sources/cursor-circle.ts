/** Notices when the cursors of a list go in a circle, which would be read forever. Holds one of them at a time, each for twice as long as the last. */
export class CursorCircle {
  #held: string | null = null;
  #left = 1;
  #length = 1;

  /** Whether this cursor came before; noticed at the latest when the circle has been read three times. */
  closes(cursor: string): boolean {
    if (cursor === this.#held) return true;
    if (--this.#left === 0) {
      this.#held = cursor;
      this.#length *= 2;
      this.#left = this.#length;
    }
    return false;
  }
}
