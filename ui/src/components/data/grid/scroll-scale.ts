/**
 * Scrolling over more rows than fit into the tallest element a browser allows.
 *
 * Browsers cap the height of an element (17 million px in Firefox, 33 in Chromium), and position exactly only up
 * to 2^23 px. A million rows are taller than that, so the scroll area is shorter than the rows would be. Near both ends a
 * pixel is a pixel; in between, dragging the scroll bar covers more rows, while small steps still move by pixels.
 *
 * "Real" is the position of rows, "shown" that of the browser's scroll bar.
 */

export const MAX_SHOWN = 8_000_000;
/** Distance from each end within which both are the same. */
const EXACT = 1_000_000;
/** A step longer than this many screens is a drag of the scroll bar, not the wheel. */
const JUMP_SCREENS = 3;

export class ScrollScale {
  #real = 0;
  #viewport = 0;
  #shownTop = 0;
  #realTop = 0;

  /** Where the first visible row is. */
  get realTop(): number {
    return this.#realTop;
  }

  /** Subtract this from a row's position to get its position in the scroll area. */
  get shift(): number {
    return this.#realTop - this.#shownTop;
  }

  get shownHeight(): number {
    return Math.min(this.#real, MAX_SHOWN);
  }

  /** Sets the total height of the rows and of the visible part. Returns where the scroll bar belongs now. */
  resize(real: number, viewport: number): number {
    // Unchanged: a scroll in progress must not be corrected halfway.
    if (real === this.#real && viewport === this.#viewport) return this.#shownTop;
    this.#real = real;
    this.#viewport = viewport;
    return this.goTo(this.#realTop);
  }

  /** The scroll bar has moved. Returns the real top. */
  follow(shownTop: number): number {
    const step = shownTop - this.#shownTop;
    const isJump = Math.abs(step) > this.#viewport * JUMP_SCREENS;
    const isAtEnd = shownTop <= 0 || shownTop >= this.#maxShownTop;
    this.#realTop = isJump || isAtEnd ? this.#realFor(shownTop) : this.#clamp(this.#realTop + step);
    this.#shownTop = shownTop;
    return this.#realTop;
  }

  /** Goes to a real top. Returns where the scroll bar belongs. */
  goTo(realTop: number): number {
    this.#realTop = this.#clamp(realTop);
    this.#shownTop = Math.round(this.#shownFor(this.#realTop));
    return this.#shownTop;
  }

  /** After small steps the scroll bar is slightly off. Returns where it belongs; nothing visible moves. */
  settle(): number {
    return this.goTo(this.#realTop);
  }

  get #maxRealTop(): number {
    return Math.max(0, this.#real - this.#viewport);
  }

  get #maxShownTop(): number {
    return Math.max(0, this.shownHeight - this.#viewport);
  }

  #clamp(realTop: number): number {
    return Math.max(0, Math.min(realTop, this.#maxRealTop));
  }

  /** Rows between the two exact ends, over the pixels between them. */
  get #stretch(): number {
    const pixels = this.#maxShownTop - 2 * EXACT;
    return pixels <= 0 ? 1 : (this.#maxRealTop - 2 * EXACT) / pixels;
  }

  #realFor(shownTop: number): number {
    const top = Math.max(0, Math.min(shownTop, this.#maxShownTop));
    if (this.#real <= MAX_SHOWN || top <= EXACT) return top;
    const left = this.#maxShownTop - top;
    if (left <= EXACT) return this.#maxRealTop - left;
    return EXACT + (top - EXACT) * this.#stretch;
  }

  #shownFor(realTop: number): number {
    if (this.#real <= MAX_SHOWN || realTop <= EXACT) return realTop;
    const left = this.#maxRealTop - realTop;
    if (left <= EXACT) return this.#maxShownTop - left;
    return EXACT + (realTop - EXACT) / this.#stretch;
  }
}
