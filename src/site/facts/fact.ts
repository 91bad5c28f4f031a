/** A fact: one thing known about a URL, with where it is read and how it is shown. */
import type { AttributeName } from "../../web/html/index.ts";
import { FACT_GROUPS, type FactGroup } from "./fact-groups.ts";

export { FACT_GROUPS, type FactGroup };

/** How a value is written. A number without a unit is a count; a text without a unit can have any length. */
export const FACT_UNITS = ["url", "status", "yes-no", "bytes", "ms", "date", "sentence", "word"] as const;
export type FactUnit = (typeof FACT_UNITS)[number];

/** How a value is stored. A `url` is the id of another URL, shown and compared as that URL. */
export type FactType = "text" | "integer" | "real" | "url";

/** Where a fact is read. Those with a name or attribute need no code. */
export type Reading =
  | { from: "meta"; name: string; property: boolean }
  | { from: "link"; rel: string }
  | { from: "attribute"; element: "html"; attribute: AttributeName }
  | { from: "document" }
  | { from: "header"; name: string; all: boolean }
  | { from: "exchange" }
  | { from: "browser" }
  | { from: "raw" }
  | { from: "graph" }
  | { from: "field" }
  | { from: "sql" };

/** The content of the first `<meta name="…">`. */
export const meta = (name: string) => ({ from: "meta", name, property: false }) as const;
/** The content of the first `<meta property="…">`. Many sites write `name` instead, and readers of cards accept both. */
export const card = (name: string) => ({ from: "meta", name, property: true }) as const;
/** The address of the first `<link rel="…">`, as written. */
export const link = (rel: string) => ({ from: "link", rel }) as const;
/** An attribute of the first such element. */
export const attribute = (element: "html", attribute: AttributeName) =>
  ({ from: "attribute", element, attribute }) as const;
/** The first response header of this name. */
export const header = (name: string) => ({ from: "header", name, all: false }) as const;
/** All response headers with this name, one line each. */
export const headers = (name: string) => ({ from: "header", name, all: true }) as const;
/** Found by code while the document is read: `page/extract-page.ts`. */
export const DOCUMENT = { from: "document" } as const;
/** Known from the response, or decided from it: `page-record.ts`. */
export const EXCHANGE = { from: "exchange" } as const;
/** Known once the page ran in a browser: `page-record.ts`. Kept in the table `rendered` only. */
export const BROWSER = { from: "browser" } as const;
/** What a page that ran in a browser said before its scripts ran: `page-record.ts`. Kept in the table `rendered` only. */
export const RAW = { from: "raw" } as const;
/** Known once the crawl has ended, from its links and redirects: `graph/`. Kept only in the table `graph`. */
export const GRAPH = { from: "graph" } as const;
/**
 * Measured by a service, and requested with the user's key when the crawl has ended: `field-data/`. Kept only in the
 * table `field_data`.
 */
export const FIELD = { from: "field" } as const;
/** Computed in SQL on demand from other facts, links or the queue. Not stored. */
export const SQL = { from: "sql" } as const;

export interface Fact {
  read: Reading;
  type: FactType;
  group: FactGroup;
  label: string;
  description: string;
  unit?: FactUnit;
  /** The possible values, if there are few. */
  values?: readonly string[];
  /** Its column in the database, if the name differs. */
  column?: string;
  /** What the column contains, if that differs from what is shown. */
  stored?: string;
  /** The value as shown, over `urls u LEFT JOIN pages p`. By default the column, and for a `url` the URL with that id. */
  sql?: string;
  /** Never null: in every row or, when read from a document, in every document. */
  always?: true;
  /** The value of an earlier crawl remains valid after a 304. Always true for facts from a document. */
  holds?: true;
  /** Changes between crawls are reported; as SQL over a row of `pages` if not every change counts. */
  compared?: true | ((page: string) => string);
  /** Stored only: not listed, filtered or exported. */
  listed?: false;
  /** Exported only on request, because it takes long to compute. */
  exported?: false;
}

type More = Omit<Fact, "read" | "type" | "group" | "label" | "description">;

const ofType =
  <const Type extends FactType>(type: Type) =>
  <const Read extends Reading, const Rest extends More>(
    read: Read,
    group: FactGroup,
    label: string,
    description: string,
    more: Rest = {} as Rest,
  ) => ({ read, type, group, label, description, ...more });

export const text = ofType("text");
export const integer = ofType("integer");
export const real = ofType("real");
export const url = ofType("url");

/** A number as the word in a list that it stands for. */
export const wordOf = (column: string, list: readonly string[]): string =>
  `CASE ${column} ${list.map((word, index) => `WHEN ${index} THEN '${word}'`).join(" ")} END`;

/** The URL with this id. */
export const urlOf = (id: string, schema?: string): string =>
  `(SELECT url FROM ${schema === undefined ? "" : `${schema}.`}urls WHERE id = ${id})`;

/** The target of the page's first link of this kind. */
export const firstLink = (kind: number): string =>
  `(SELECT t.url FROM links l JOIN urls t ON t.id = l.target WHERE l.id >= p.first_link
    AND l.id < p.first_link + p.link_count AND l.type = ${kind} ORDER BY l.id LIMIT 1)`;
