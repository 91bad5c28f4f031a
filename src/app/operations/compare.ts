/** Comparing two crawls. */
import { z } from "zod";
import { cursor, id, limit, operation } from "./operation.ts";
import { cell } from "./shapes.ts";

export const CHANGES = ["added", "removed", "changed"] as const;

const comparisonQuestion = z.object({
  id: id.meta({ description: "The later crawl." }),
  other: id.meta({ description: "The earlier crawl." }),
  change: z.enum(CHANGES).nullable().default(null),
  field: z.string().nullable().default(null).meta({ description: "Only changes of this field." }),
  search: z.string().max(2_000).nullable().default(null),
  limit,
  cursor,
});
export type ComparisonQuestion = z.output<typeof comparisonQuestion>;

const comparisonCounts = z.object({ added: z.int(), removed: z.int(), changed: z.int(), unchanged: z.int() });
export type ComparisonCounts = z.output<typeof comparisonCounts>;

const comparison = z.object({
  counts: comparisonCounts,
  fields: z
    .array(z.object({ field: z.string(), count: z.int() }))
    .meta({ description: "Fields that changed, and on how many URLs; most first." }),
  total: z.int().meta({ description: "Rows that the filters leave." }),
  rows: z.array(
    z.object({
      url: z.string(),
      change: z.enum(CHANGES),
      statusBefore: z.int().nullable(),
      statusAfter: z.int().nullable(),
      fields: z.array(z.object({ field: z.string(), before: cell, after: cell })),
    }),
  ),
  next: z.string().nullable(),
});
export type ComparisonAnswer = z.output<typeof comparison>;

export const compareCrawls = operation({
  name: "compareCrawls",
  kind: "read",
  summary: "What changed from one crawl to another: URLs added, removed and changed, field by field",
  input: comparisonQuestion,
  output: comparison,
  run: (app, input) => app.crawlData.compare(input),
});
