/** The title of a stored page, for the list of pages in a package. */
import { decodeHtml } from "../../../web/charset.ts";
import { decodeText, scanHtml } from "../../../web/html/index.ts";

/** A title stands near the beginning; the rest of a large page need not be read. */
const HEAD_BYTES = 256 << 10;

/** Longer ones are no help in a list. */
const MAX_TITLE = 500;

/** Null when there is none. */
export function pageTitle(page: Buffer): string | null {
  let title = "";
  let state: "before" | "inside" | "done" = "before";
  let svg = 0;
  scanHtml(decodeHtml(page.subarray(0, HEAD_BYTES), null).utf8, {
    open(tag, _attributes, empty) {
      if (tag.name === "svg" && !empty) svg++;
      // Drawings have titles of their own.
      else if (tag.name === "title" && state === "before" && svg === 0) state = "inside";
    },
    close(tag) {
      if (tag.name === "svg") svg--;
      else if (tag.name === "title" && state === "inside") state = "done";
    },
    text(source, start, end, references) {
      if (state !== "inside" || title.length > MAX_TITLE) return;
      const raw = source.text(start, end);
      title += references ? decodeText(raw) : raw;
    },
  });
  return title.replace(/\s+/g, " ").trim().slice(0, MAX_TITLE) || null;
}
