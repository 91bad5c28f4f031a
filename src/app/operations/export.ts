/** The question behind an export: all rows of a crawl as text. Its answer is a stream, so it is not an operation. */
import { z } from "zod";
import { id } from "./operation.ts";
import { filters, search, sort } from "./urls.ts";

export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export const EXPORT_ROWS = ["urls", "links"] as const;

export const exportQuestion = z.object({
  id,
  format: z.enum(EXPORT_FORMATS).default("csv"),
  what: z.enum(EXPORT_ROWS).default("urls").meta({ description: "Filters of links ask about the link's target." }),
  fields: z.array(z.string()).max(100).default([]).meta({ description: "Separated by commas; all when left out." }),
  filter: filters,
  search,
  sort,
  raw: z.boolean().default(false).meta({
    description: "CSV: leave cells as they are; otherwise those that a spreadsheet would run get a ' in front.",
  }),
});
export type ExportQuestion = z.output<typeof exportQuestion>;
