/** Whether this is the window of `trawl desktop`, whose server ends with it. A tab in a browser can be closed without harm. */

/** `trawl desktop` opens its window with this in the address. */
const PARAMETER = "desktop";
/** Screens have addresses of their own; the window stays the same, and so does its session. */
const KEY = "trawl-desktop";

export interface WindowFacts {
  /** The query of the address. */
  search: string;
  session: Pick<Storage, "getItem" | "setItem">;
}

export function isDesktopWindow({ search, session }: WindowFacts): boolean {
  if (new URLSearchParams(search).has(PARAMETER)) session.setItem(KEY, "yes");
  return session.getItem(KEY) !== null;
}
