/**
 * Cursors: where a page of a list ended, as text. All lists and transports use the same form, so the command line can
 * continue where REST stopped. A cursor contains a checksum of its list, so it is refused for another crawl or order.
 */
import { TrawlError } from "../../errors.ts";
import { Fingerprint } from "../../kernel/fingerprint.ts";

/** What identifies a list: its name, the crawl, and everything that determines its rows and their order. */
export type ListKey = readonly unknown[];

type Place = readonly (string | number)[];

export function writeCursor(list: ListKey, place: Place): string {
  const text = JSON.stringify(place);
  return `${Buffer.from(text).toString("base64url")}.${checksum(list, text)}`;
}

/** The position in a cursor of this list. Throws BAD_USAGE for any other text. */
export function readCursor(list: ListKey, cursor: string): Place {
  const [encoded = "", sum] = cursor.split(".");
  const text = Buffer.from(encoded, "base64url").toString();
  if (sum !== checksum(list, text)) {
    throw new TrawlError("BAD_USAGE", "This cursor does not belong to this list.", {
      hint: "Use `next` of the previous page, with the same crawl, filters, search and order.",
    });
  }
  return JSON.parse(text) as Place;
}

/** How callers ask for a page of a list. */
export interface PageAsked {
  limit: number;
  cursor: string | null;
}

/** A page of a list that can only be read from its beginning: `read` returns its first rows. */
export async function pageFromStart<Row, More extends { rows: Row[] }>(
  list: ListKey,
  { limit, cursor }: PageAsked,
  read: (rows: number) => Promise<More>,
): Promise<More & { next: string | null }> {
  const first = cursor === null ? 0 : (readCursor(list, cursor)[0] as number);
  const end = first + limit;
  const answer = await read(end + 1);
  const next = answer.rows.length > end ? writeCursor(list, [end]) : null;
  return { ...answer, rows: answer.rows.slice(first, end), next };
}

/** Protects against mistakes, not forgers: anyone who may ask for a list may ask for any part of it. */
function checksum(list: ListKey, place: string): string {
  const sum = new Fingerprint(0);
  sum.take(JSON.stringify([list, place]));
  return `${sum.high.toString(36)}${sum.low.toString(36).padStart(7, "0")}`;
}

/** The cursor after the first `place` rows of a list, given its ids; null at its end. */
export const viewCursor = (list: ListKey, ids: Int32Array, place: number): string | null =>
  place < 1 || place >= ids.length ? null : writeCursor(list, [place, ids[place - 1]!]);

/** Where a view continues: after the same URL as before, wherever that is now. A view of a running crawl changes. */
export function placeBehind(list: ListKey, ids: Int32Array, cursor: string): number {
  const [place, id] = readCursor(list, cursor) as [number, number];
  if (ids[place - 1] === id) return place;
  const moved = ids.indexOf(id);
  return moved < 0 ? place : moved + 1;
}

/** The number after which a list continues. */
export const placeIn = (list: ListKey, cursor: string | null): number =>
  cursor === null ? 0 : (readCursor(list, cursor)[0] as number);
