/** Operations on what was not crawled, and why. */
import { z } from "zod";
import { id, operation } from "./operation.ts";

const decisions = z.object({
  total: z.int().meta({ description: "URLs." }),
  reasons: z
    .array(z.object({ reason: z.string(), meaning: z.string(), setting: z.string().nullable(), count: z.int() }))
    .meta({ description: "All reasons, whichever is asked for." }),
  groups: z.array(
    z.object({
      reason: z.string(),
      rule: z.string().nullable(),
      verdict: z.string(),
      count: z.int(),
      examples: z.array(z.string()),
    }),
  ),
  groupsTotal: z.int(),
});
export type Decisions = z.output<typeof decisions>;

export const listDecisions = operation({
  name: "listDecisions",
  kind: "read",
  summary: "What was not crawled, by reason and rule, with examples",
  input: z.object({ id, reason: z.string().nullable().default(null), limit: z.int().min(1).max(1_000).default(200) }),
  output: decisions,
  run: (app, input) => app.crawlData.decisions(input),
});
