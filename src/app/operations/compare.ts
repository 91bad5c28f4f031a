/** Comparing two crawls. */
import { z } from "zod";
import { cursor, id, limit, operation } from "./operation.ts";
import { cell } from "./shapes.ts";

export const CHANGES = ["added", "removed", "changed"] as const;

export const compareCrawls = operation({
  name: "compareCrawls",
  kind: "read",
  summary: "What changed from one crawl to another: URLs added, removed and changed, field by field",
  input: z.object({
    id: id.meta({ description: "The later crawl." }),
    other: id.meta({ description: "The earlier crawl." }),
    change: z.enum(CHANGES).nullable().default(null),
    field: z.string().nullable().default(null).meta({ description: "Only changes of this field." }),
    search: z.string().max(2_000).nullable().default(null),
    limit,
    cursor,
  }),
  output: z.object({
    counts: z.object({ added: z.int(), removed: z.int(), changed: z.int(), unchanged: z.int() }),
    fields: z.array(z.object({ field: z.string(), count: z.int() })),
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
  }),
  run: (app, input) => app.crawlData.compare(input),
});
