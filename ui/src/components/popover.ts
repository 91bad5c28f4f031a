/** Places a popover beside its anchor and keeps it inside the window. The browser's own popover gives Esc and light dismissal. */

const GAP = 6;
const EDGE = 8;

export type Placement = "below" | "below-end" | "above";

export function placePopover(popover: HTMLElement, anchor: HTMLElement, placement: Placement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const wantsLeft =
    placement === "below-end" ? at.right - width : placement === "above" ? at.left + at.width / 2 - width / 2 : at.left;
  const left = Math.max(EDGE, Math.min(wantsLeft, window.innerWidth - width - EDGE));
  const below = at.bottom + GAP;
  const above = at.top - GAP - height;
  const fitsBelow = below + height <= window.innerHeight - EDGE;
  const goesAbove = placement === "above" ? above >= EDGE : !fitsBelow && above >= EDGE;
  popover.style.left = `${left}px`;
  popover.style.top = `${goesAbove ? above : Math.max(EDGE, Math.min(below, window.innerHeight - height - EDGE))}px`;
}
