/** Keys that move through the rows of any screen: elements with `data-row`, by themselves if they open, or their first link or button. */

const rowLinks = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>("#main [data-row]")].flatMap((row) => {
    const link = row.tagName === "SUMMARY" ? row : row.querySelector<HTMLElement>("a[href], button:not(:disabled)");
    return link?.checkVisibility() ? [link] : [];
  });

export const hasRows = (): boolean => rowLinks().length > 0;

/** Focuses the row after or before the focused one; the first one if there isn't one. */
export function stepRow(by: 1 | -1): void {
  const links = rowLinks();
  const at = links.findIndex((link) => link.closest("[data-row]")!.contains(document.activeElement));
  const next = at < 0 ? 0 : Math.max(0, Math.min(at + by, links.length - 1));
  links[next]?.focus();
}
