/** A record of a partition with the ids of another crawl. */
import type { SiteRecord } from "../../site/site-record.ts";
import { eachText, type TextDictionary } from "../../site/text-dictionary.ts";
import { CONTEXT, PATH, STORED_LINK_STRIDE, TARGET, TEXT } from "../../web/html/link-rows.ts";

/** Facts of a page that are URL ids. */
export const URL_FACTS = ["redirect_to", "canonical"] as const;

/** The ids of all URLs that a record names. */
export function* targetsOf(record: SiteRecord): Generator<number> {
  for (let at = TARGET; at < record.links.length; at += STORED_LINK_STRIDE) yield record.links[at]!;
  for (const fact of URL_FACTS) {
    const id = record.page[fact];
    if (typeof id === "number") yield id;
  }
}

export function localRecord(record: SiteRecord, texts: TextDictionary, resolve: (id: number) => number): SiteRecord {
  const textIds: number[] = [0];
  eachText(record.texts, (id, text) => {
    textIds[id] = texts.id(text);
  });
  const links = record.links.slice();
  for (let at = 0; at < links.length; at += STORED_LINK_STRIDE) {
    links[at + TARGET] = resolve(links[at + TARGET]!);
    for (const column of [TEXT, CONTEXT, PATH]) links[at + column] = textIds[links[at + column]!]!;
  }
  const page = { ...record.page };
  for (const fact of URL_FACTS) {
    const id = page[fact];
    if (typeof id === "number") page[fact] = resolve(id);
  }
  return { ...record, page, links, texts: texts.takeFresh() };
}
