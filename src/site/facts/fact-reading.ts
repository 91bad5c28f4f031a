/** Reads the facts that are found by name, in the head of a document and in response headers. */
import type { HeaderPairs } from "../../net/headers.ts";
import type { AttributeName, Attributes } from "../../web/html/index.ts";
import { collapse, cut, trimUrl } from "../page/trim.ts";
import type { Fact } from "./fact.ts";
import {
  type Column,
  type DocumentFacts,
  type HeaderFacts,
  isOfDocument,
  type NamedFacts,
  PAGE_FACT_COLUMNS,
  type PageRow,
  RENDERED_FACT_COLUMNS,
  type RenderedRow,
} from "./fact-rows.ts";
import { FACTS } from "./fact-table.ts";

/**
 * How many characters of a text are kept. Real titles, descriptions and headings stay under 2,000. A page that puts
 * megabytes there would otherwise fill the database and every list that shows it.
 */
export const MOST_TEXT = 16_384;

type NamedFact = keyof NamedFacts;

/** Built once, so that an element costs one look-up, however many facts there are. */
const META_NAMES = new Map<string, NamedFact>();
const META_PROPERTIES = new Map<string, NamedFact>();
const LINK_RELS = new Map<string, NamedFact>();
const HTML_ATTRIBUTES: [attribute: AttributeName, fact: NamedFact][] = [];
const HEADERS = new Map<string, { fact: keyof HeaderFacts; all: boolean }>();
/** Columns of texts, with the names of their facts. */
const TEXTS: (keyof DocumentFacts)[] = [];

for (const [name, fact] of Object.entries<Fact>(FACTS)) {
  const { read, type } = fact;
  if (type === "text" && isOfDocument(fact)) TEXTS.push(name as keyof DocumentFacts);
  if (read.from === "meta") {
    META_NAMES.set(read.name, name as NamedFact);
    if (read.property) META_PROPERTIES.set(read.name, name as NamedFact);
  } else if (read.from === "link") LINK_RELS.set(read.rel, name as NamedFact);
  else if (read.from === "attribute") HTML_ATTRIBUTES.push([read.attribute, name as NamedFact]);
  else if (read.from === "header") HEADERS.set(read.name, { fact: name as keyof HeaderFacts, all: read.all });
}

const NO_NAMED_FACTS = Object.fromEntries(
  [...META_NAMES.values(), ...LINK_RELS.values(), ...HTML_ATTRIBUTES.map(([, fact]) => fact)].map((fact) => [
    fact,
    null,
  ]),
) as NamedFacts;
const NO_HEADER_FACTS = Object.fromEntries([...HEADERS.values()].map(({ fact }) => [fact, null])) as HeaderFacts;

/** The facts of one document that are found by name. The first occurrence counts, even when it is empty. */
export class NamedFactReader {
  readonly facts: NamedFacts = { ...NO_NAMED_FACTS };

  html(attributes: Attributes): void {
    for (const [attribute, fact] of HTML_ATTRIBUTES) this.facts[fact] ??= attributes.text(attribute)?.trim() ?? null;
  }

  /** `name` is the element's, trimmed and in lower case. */
  meta(name: string | undefined, attributes: Attributes): void {
    const fact = (name === undefined ? undefined : META_NAMES.get(name)) ?? propertyFact(attributes);
    if (fact === undefined || this.facts[fact] !== null) return;
    const content = attributes.text("content");
    if (content !== null) this.facts[fact] = collapse(content);
  }

  link(rel: string, href: string): void {
    const fact = LINK_RELS.get(rel);
    if (fact !== undefined) this.facts[fact] ??= trimUrl(href);
    else if (/[A-Z\t\n\f\r ]/.test(rel)) {
      for (const word of rel.toLowerCase().split(/[\t\n\f\r ]+/)) if (LINK_RELS.has(word)) this.link(word, href);
    }
  }
}

function propertyFact(attributes: Attributes): NamedFact | undefined {
  const property = attributes.get("property");
  return property === null ? undefined : META_PROPERTIES.get(property.trim().toLowerCase());
}

/** Cuts texts at the limit, and says which were cut. */
export function capTexts<Row extends Pick<DocumentFacts, "texts_cut">>(
  row: Row,
  names: readonly string[] = TEXTS,
): Row {
  const texts = row as Record<string, unknown>;
  for (const name of names) {
    const text = texts[name];
    if (typeof text !== "string" || text.length <= MOST_TEXT) continue;
    texts[name] = cut(text, MOST_TEXT);
    row.texts_cut = row.texts_cut === null ? name : `${row.texts_cut}, ${name}`;
  }
  return row;
}

/**
 * The texts in a row that a server can make long. Lists in JSON are cut where they are built; headers share a limit.
 */
const cappedOf = (columns: readonly Column[]): string[] =>
  columns.filter(({ name, type }) => type === "TEXT" && !UNCUT.has(name)).map(({ name }) => name);
const UNCUT = new Set(["headers", "hreflang", "console_errors", "texts_cut"]);
const PAGE_TEXTS = cappedOf(PAGE_FACT_COLUMNS);
const RENDERED_TEXTS = cappedOf(RENDERED_FACT_COLUMNS);

/** A row as it is stored: no text is longer than the limit, wherever it comes from. */
export const cappedPage = (row: PageRow): PageRow => capTexts(row, PAGE_TEXTS);
export const cappedRendered = (row: RenderedRow): RenderedRow => capTexts(row, RENDERED_TEXTS);

export function headerFacts(headers: HeaderPairs): HeaderFacts {
  const facts = { ...NO_HEADER_FACTS };
  for (const [name, value] of headers) {
    const known = HEADERS.get(name);
    if (known === undefined) continue;
    const before = facts[known.fact];
    // One line each, so that directives for one agent end with their line.
    if (before === null) facts[known.fact] = value;
    else if (known.all) facts[known.fact] = `${before},\n${value}`;
  }
  return facts;
}
