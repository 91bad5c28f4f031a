/** Where a page of a view ended, as text: its place, and the id there, since a view of a running crawl moves. */
import { TrawlError } from "../../errors.ts";
import type { SiteView } from "../../site/store/view.ts";

/** The cursor behind the first `place` rows; null at the end. */
export const viewCursor = (view: SiteView, place: number): string | null =>
  place < 1 || place >= view.total
    ? null
    : Buffer.from(JSON.stringify([place, view.ids(place - 1, 1)[0]])).toString("base64url");

/** The place to go on from: behind the same URL as before, wherever that is by now. */
export function placeBehind(view: SiteView, cursor: string): number {
  const [place, id] = readCursor(cursor);
  if (view.ids(place - 1, 1)[0] === id) return place;
  const moved = view.ids(0, view.total).indexOf(id);
  return moved < 0 ? place : moved + 1;
}

export const badCursor = (): TrawlError => new TrawlError("BAD_USAGE", "This cursor is not one that a list gave.");

function readCursor(cursor: string): [number, number] {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    throw badCursor();
  }
  const [place, id] = Array.isArray(read) && read.length === 2 ? read : [];
  if (!Number.isSafeInteger(place) || place < 1 || !Number.isSafeInteger(id)) throw badCursor();
  return [place, id];
}
