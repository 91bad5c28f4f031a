/** Comparing two crawls. */
import { z } from "zod";
import { cursor, id, limit, operation } from "./operation.ts";
import { cell } from "./shapes.ts";

/** `gone`: it answers 404, 410 or not at all. `not_crawled`: it was not requested this time, for a reason. */
export const CHANGES = ["added", "gone", "not_crawled", "changed"] as const;

/** Until version 0.3, `removed` is still understood: not crawled this time. */
const changeAsked = z
  .enum([...CHANGES, "removed"])
  .transform((change): (typeof CHANGES)[number] => (change === "removed" ? "not_crawled" : change));

/** What a change means for visitors and search engines. */
export const EFFECTS = ["newly_broken", "no_longer_indexable", "indexable_again", "fixed"] as const;

const comparisonQuestion = z.object({
  id: id.meta({ description: "The later crawl." }),
  other: id.meta({ description: "The earlier crawl." }),
  change: changeAsked.nullable().default(null).meta({
    description:
      "added; gone: answers 404, 410 or not at all; not_crawled: not fetched this time, for the reason in the row; changed.",
  }),
  effect: z.enum(EFFECTS).nullable().default(null).meta({ description: "Only changes for the worse or the better." }),
  field: z.string().nullable().default(null).meta({ description: "Only changes of this field." }),
  search: z.string().max(2_000).nullable().default(null),
  limit,
  cursor,
});
export type ComparisonQuestion = z.output<typeof comparisonQuestion>;

const comparisonCounts = z.object({
  added: z.int(),
  gone: z.int(),
  notCrawled: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  removed: z.int().meta({ description: "Deprecated: the same as notCrawled.", deprecated: true }),
});
export type ComparisonCounts = z.output<typeof comparisonCounts>;

const comparison = z.object({
  counts: comparisonCounts,
  effects: z
    .record(z.enum(EFFECTS), z.int())
    .meta({ description: "The number of URLs on which a change has this effect." }),
  fields: z
    .array(z.object({ field: z.string(), count: z.int() }))
    .meta({ description: "Fields that changed, and on how many URLs, in descending order." }),
  total: z.int().meta({ description: "Rows that match the filters." }),
  rows: z
    .array(
      z.object({
        url: z.string(),
        change: z.enum(CHANGES),
        effect: z.enum(EFFECTS).nullable(),
        reason: z.string().nullable().meta({
          description:
            "Why it was not crawled this time: a code of the list of reasons, queued, or no_longer_found, when nothing led to it.",
        }),
        statusBefore: z.int().nullable(),
        statusAfter: z.int().nullable(),
        fields: z.array(z.object({ field: z.string(), before: cell, after: cell })),
      }),
    )
    .meta({ description: "First what got worse, last what got better; then by URL." }),
  next: z.string().nullable(),
});
export type ComparisonAnswer = z.output<typeof comparison>;

export const compareCrawls = operation({
  name: "compareCrawls",
  kind: "read",
  summary:
    "What changed from one crawl to another: URLs added, gone, not crawled this time and changed, field by field",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE"],
  input: comparisonQuestion,
  output: comparison,
  run: (app, input, caller) => app.crawlData.compare(input, caller?.signal),
});
