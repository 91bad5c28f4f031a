/**
 * Row types and columns of stored facts. If the code fails to provide a fact that it should read, it does not compile.
 */
import type { Fact } from "./fact.ts";
import { FACTS } from "./fact-table.ts";

type Table = typeof FACTS;
export type FactName = keyof Table;
type ReadFrom<From extends Fact["read"]["from"]> = {
  [Name in FactName]: Table[Name]["read"]["from"] extends From ? Name : never;
}[FactName];

type ColumnOf<Name extends FactName> = Table[Name] extends { column: infer Column extends string } ? Column : Name;
type Plain<Name extends FactName> = Table[Name] extends { values: readonly (infer Value)[] }
  ? Value
  : Table[Name]["type"] extends "text"
    ? string
    : number;
type ValueOf<Name extends FactName> = Table[Name] extends { always: true } ? Plain<Name> : Plain<Name> | null;
type Row<Name extends FactName> = { [Each in Name as ColumnOf<Each>]: ValueOf<Each> };
type Nullable<Facts> = { [Name in keyof Facts]: Facts[Name] | null };

/** Facts of a document that are found by name; see `fact-reading.ts`. */
export type NamedFacts = Row<ReadFrom<"meta" | "link" | "attribute">>;
/** Facts of a document that code finds. */
export type FoundFacts = Row<ReadFrom<"document">>;
/** Everything that a document says, as sent or after its scripts ran. */
export type DocumentFacts = NamedFacts & FoundFacts;
export type HeaderFacts = Row<ReadFrom<"header">>;
export type ExchangeFacts = Row<ReadFrom<"exchange">>;
export type BrowserFacts = Row<ReadFrom<"browser">>;
/** What a rendered page said before its scripts ran. */
export type RawFacts = Row<ReadFrom<"raw">>;

/** What a URL means to the others, known when the crawl has ended: a row of `graph`. */
export type GraphFacts = Nullable<Row<ReadFrom<"graph">>>;

/** What a service measured about a page: a row of `field_data`. */
export type FieldFacts = Nullable<Row<ReadFrom<"field">>>;

/** A row of `pages`: for a page that ran in a browser, what it became there. */
export type PageRow = ExchangeFacts & HeaderFacts & Nullable<DocumentFacts>;
/** A row of `rendered`: what the page became after its scripts ran. */
export type RenderedRow = DocumentFacts & BrowserFacts & RawFacts & { canonical: string | null; link_count: number };

export interface Column {
  name: string;
  type: "TEXT" | "INTEGER" | "REAL";
  description: string;
}

const TYPES = { text: "TEXT", integer: "INTEGER", real: "REAL", url: "INTEGER" } as const;
const DOCUMENT: ReadonlySet<string> = new Set(["meta", "link", "attribute", "document"]);
const ALL: [name: string, fact: Fact][] = Object.entries(FACTS);

/** Known only for pages that ran in a browser, and kept in the table `rendered`. */
export const isOfBrowser = ({ read: { from } }: Fact): boolean => from === "browser" || from === "raw";
/** Computed from all links when the crawl has ended, and kept in the table `graph`. */
export const isOfGraph = ({ read: { from } }: Fact): boolean => from === "graph";
/** Measured by services, and kept in the table `field_data`. */
export const isOfField = ({ read: { from } }: Fact): boolean => from === "field";
export const isOfDocument = ({ read }: Fact): boolean => DOCUMENT.has(read.from);

const columnsOf = (isWanted: (fact: Fact) => boolean): Column[] =>
  ALL.filter(([, fact]) => isWanted(fact)).map(([name, { type, column, stored, description, unit, values = [] }]) => ({
    name: column ?? name,
    type: TYPES[type],
    description: stored ?? (unit === "yes-no" ? `${description}: ${values.join(", ")}` : description),
  }));

export const PAGE_FACT_COLUMNS: readonly Column[] = columnsOf(
  (fact) => fact.read.from !== "sql" && !isOfBrowser(fact) && !isOfGraph(fact) && !isOfField(fact),
);
export const GRAPH_FACT_COLUMNS: readonly Column[] = columnsOf(isOfGraph);
export const FIELD_FACT_COLUMNS: readonly Column[] = columnsOf(isOfField);
export const RENDERED_FACT_COLUMNS: readonly Column[] = [
  ...columnsOf((fact) => isOfDocument(fact) || isOfBrowser(fact)),
  { name: "canonical", type: "TEXT", description: "canonical URL as written" },
  { name: "link_count", type: "INTEGER", description: FACTS.links_out.description },
];

export const PAGE_COLUMNS = PAGE_FACT_COLUMNS.map(({ name }) => name) as (keyof PageRow)[];
export const RENDERED_COLUMNS = RENDERED_FACT_COLUMNS.map(({ name }) => name) as (keyof RenderedRow)[];
export const GRAPH_COLUMNS = GRAPH_FACT_COLUMNS.map(({ name }) => name) as (keyof GraphFacts)[];
/** Facts from the body of a response: they remain valid when the server answers that nothing changed. */
export const BODY_COLUMNS = columnsOf((fact) => isOfDocument(fact) || fact.holds === true).map(
  ({ name }) => name,
) as (keyof PageRow)[];

/** A URL without known facts. */
export const NO_PAGE: PageRow = {
  ...(Object.fromEntries(PAGE_COLUMNS.map((column) => [column, null])) as Nullable<PageRow>),
  fetched_at: 0,
  from_cache: 0,
  indexable: "No",
  attempts: 1,
};
