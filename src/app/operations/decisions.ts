/** Operations on what was not crawled, and why. */
import { z } from "zod";
import { id, operation } from "./operation.ts";

export const listDecisions = operation({
  name: "listDecisions",
  kind: "read",
  summary: "What was not crawled, by reason and rule, with examples",
  input: z.object({ id, reason: z.string().nullable().default(null), limit: z.int().min(1).max(1_000).default(200) }),
  output: z.object({
    total: z.int().meta({ description: "URLs." }),
    reasons: z.array(
      z.object({ reason: z.string(), meaning: z.string(), setting: z.string().nullable(), count: z.int() }),
    ),
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
  }),
  run: (app, input) => app.crawlData.decisions(input),
});
