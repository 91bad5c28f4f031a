/** What a person reads in a stored page: its title and its text, without scripts and styles. */
import { decodeHtml } from "../../web/charset.ts";
import { decodeText, scanHtml } from "../../web/html/index.ts";

export interface PageText {
  title: string;
  text: string;
}

/** Text of one page beyond this is not indexed: about two hundred printed pages. */
const MAX_TEXT = 1_000_000;
const HIDDEN = new Set(["script", "style", "template"]);

/** Elements that may stand within a word. All others separate words. */
const INLINE = new Set(
  "a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup tt u var wbr".split(
    " ",
  ),
);

export function pageText(page: Buffer, contentType: string | null): PageText {
  let title = "";
  let text = "";
  let isTitle = false;
  let svg = 0;
  let hidden = 0;
  scanHtml(decodeHtml(page, contentType).utf8, {
    open({ name }, _attributes, empty) {
      if (name === "svg" && !empty) svg++;
      if (HIDDEN.has(name) && !empty) hidden++;
      // Drawings have titles of their own.
      if (name === "title" && svg === 0 && title === "") isTitle = true;
      else if (!INLINE.has(name)) text += " ";
    },
    close({ name }) {
      if (name === "svg" && svg > 0) svg--;
      if (HIDDEN.has(name) && hidden > 0) hidden--;
      if (name === "title") isTitle = false;
      else if (!INLINE.has(name)) text += " ";
    },
    text(source, start, end, references) {
      if (hidden > 0 || text.length > MAX_TEXT) return;
      const raw = source.text(start, end);
      const piece = references ? decodeText(raw) : raw;
      if (isTitle) title += piece;
      else text += piece;
    },
  });
  return { title: tidy(title), text: tidy(text).slice(0, MAX_TEXT) };
}

const tidy = (text: string): string => text.replace(/\s+/g, " ").trim();
