/** docs/reference/archive.md: settings, reasons and counts of an archive, from the tables that it uses. */
import { z } from "zod";
import { COUNTERS, type Definition } from "../../src/archive/archive-metrics.ts";
import { archiveConfigSchema } from "../../src/archive/config/archive-config.ts";
import { REASONS } from "../../src/archive/policy/policy.ts";
import { code, generatedNote, markdownTable } from "../markdown.ts";
import { typeOf } from "./configuration.ts";

export function archivePage(): string {
  return [
    generatedNote("`src/archive/config/archive-config.ts`, `policy/policy.ts` and `archive-metrics.ts`"),
    "# Archive: settings, reasons, counts",
    SETTINGS_HEAD,
    markdownTable(["Setting", "Type", "Default", "What it does"], archiveSettings().map(row)),
    REASONS_HEAD,
    markdownTable(
      ["Reason", "Meaning"],
      Object.entries(REASONS).map(([name, meaning]) => [code(name), meaning]),
    ),
    COUNTS_HEAD,
    markdownTable(
      ["In the CSV", "In Prometheus", "What it counts"],
      (COUNTERS as readonly Definition[]).map(({ name, help, label }) => [
        label === undefined ? code(name) : label.values.map((value) => code(`${name}_${value}`)).join(", "),
        code(`trawl_archive_${name}_total${label === undefined ? "" : `{${label.name}}`}`),
        help,
      ]),
    ),
    "",
  ].join("\n\n");
}

const SETTINGS_HEAD = `## Settings

The settings of \`archive.yaml\`, as \`trawl archive configure\` writes it. Only \`user_agent\` is required; every other setting,
and every section, may be omitted. In \`scope\` and \`caps\`, null means the value of the profile.`;

const REASONS_HEAD = `## Reasons

Why a URL is not archived. Used in \`state/refused.jsonl\`, \`trawl archive status\`, \`validate-policy\` and the counts below.`;

const COUNTS_HEAD = `## Counts

The counts of one run, in \`logs/crawler_metrics.csv\` and at \`--metrics-port\`. Prometheus also gets
\`trawl_archive_frontier_size\`, \`trawl_archive_in_flight\` and \`trawl_archive_paused\`.`;

export interface ArchiveSetting {
  name: string;
  schema: z.ZodType;
}

/** Every setting by its name in the file, such as \`limits.req_per_sec\`. */
export function archiveSettings(): ArchiveSetting[] {
  return Object.entries(archiveConfigSchema.shape).flatMap(([name, schema]) => {
    const inner: unknown = schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
    if (!(inner instanceof z.ZodObject)) return [{ name, schema: schema as z.ZodType }];
    return Object.entries(inner.shape).map(([key, value]) => ({ name: `${name}.${key}`, schema: value as z.ZodType }));
  });
}

function row({ name, schema }: ArchiveSetting): string[] {
  const isRequired = !(schema instanceof z.ZodDefault);
  const json = z.toJSONSchema(schema, { io: "input" }) as { default?: unknown };
  return [
    code(name),
    typeOf({ schema }),
    isRequired ? "none (required)" : code(name.endsWith("permissions") ? '"0o644"' : JSON.stringify(json.default)),
    String(schema.meta()?.["description"] ?? ""),
  ];
}
