/** The fields of a page that two crawls are compared by: what the page itself says, not how quickly or from where. */

type ColumnSql = (page: string, schema: string) => string;

const column =
  (name: string): ColumnSql =>
  (page) =>
    `${page}.${name}`;

/** Ids differ between crawls: what they stand for is compared. */
const url =
  (name: string): ColumnSql =>
  (page, schema) =>
    `(SELECT url FROM ${schema}.urls WHERE id = ${page}.${name})`;

/** "Not modified" is the same page as before, not another answer. */
const status: ColumnSql = (page) => `CASE ${page}.status WHEN 304 THEN 200 ELSE ${page}.status END`;

/** Stored as bits by their place in this list while a comparison lasts. */
export const COMPARED_FIELDS = [
  "status",
  "title",
  "description",
  "h1",
  "canonical",
  "redirect_to",
  "indexable",
  "robots_meta",
  "content_type",
  "content_hash",
  "word_count",
] as const;
export type ComparedField = (typeof COMPARED_FIELDS)[number];

const SQL: Partial<Record<ComparedField, ColumnSql>> = {
  status,
  canonical: url("canonical"),
  redirect_to: url("redirect_to"),
};

/** Each field as SQL over a row of `pages` of a database. */
export const COMPARED = COMPARED_FIELDS.map((name) => ({ name, sql: SQL[name] ?? column(name) }));
