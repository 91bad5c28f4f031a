/** docs/reference/archive.md: settings, profiles, reasons and counts of an archive, from the tables that it uses. */
import { z } from "zod";
import { COUNTERS, type Definition } from "../../src/archive/archive-metrics.ts";
import { archiveConfigSchema } from "../../src/archive/config/archive-config.ts";
import { REASONS } from "../../src/archive/policy/policy.ts";
import { BUILT_IN } from "../../src/archive/profile/load-profile.ts";
import { type Profile, profileSchema } from "../../src/archive/profile/profile.ts";
import { code, generatedNote, markdownTable } from "../markdown.ts";
import { typeOf } from "./configuration.ts";

export function archivePage(): string {
  return [
    generatedNote("`src/archive/config/archive-config.ts`, `profile/`, `policy/policy.ts` and `archive-metrics.ts`"),
    "# Archive: settings, profiles, reasons, counts",
    SETTINGS_HEAD,
    markdownTable(["Setting", "Type", "Default", "What it does"], archiveSettings().map(row)),
    PROFILES_HEAD,
    markdownTable(["Profile", "Hosts", "Page types", "Caps", "Seeds"], BUILT_IN.map(profileRow)),
    PROFILE_KEYS_HEAD,
    markdownTable(["Key", "Type", "Default", "What it does"], profileKeys().map(row)),
    REASONS_HEAD,
    markdownTable(
      ["Reason", "Meaning"],
      [
        ...Object.entries(REASONS).map(([name, meaning]) => [code(name), meaning]),
        ["`repo_max_` and a name", "Another cap of the profile, under its own name, is reached for its repo."],
      ],
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

const PROFILES_HEAD = `## Profiles

The built-in values of \`profile\`. \`scope.allowed_hosts\` replaces the hosts, except for github; \`caps\` replaces the caps.`;

const PROFILE_KEYS_HEAD = `### Keys of a profile

A profile of your own is a YAML file with these keys. \`page_types[]\` and \`links[]\` are lists. Patterns are regular expressions
without look-around and back-references; \`(?<name>…)\` names a group.`;

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

const profileRow = ({ name, hosts, page_types, caps, seeds }: Profile): string[] => [
  code(name),
  hosts.map(code).join(", ") || "those of `scope.allowed_hosts`",
  [...new Set(page_types.map((type) => type.name))].map(code).join(", "),
  Object.entries(caps)
    .map(([key, value]) => code(`${key}: ${value}`))
    .join(", "),
  seeds.map(code).join(", "),
];

/** Every key, those of nested objects after a dot. */
export function profileKeys(shape: z.ZodRawShape = profileSchema.shape, prefix = ""): ArchiveSetting[] {
  return Object.entries(shape).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const inner = innermost(schema);
    const own = { name, schema: schema as z.ZodType };
    if (inner instanceof z.ZodObject) return [own, ...profileKeys(inner.shape, `${name}.`), ...freeKeys(name, inner)];
    const element = inner instanceof z.ZodArray ? innermost(inner.element) : null;
    return element instanceof z.ZodObject ? [own, ...profileKeys(element.shape, `${name}[].`)] : [own];
  });
}

/** The keys that a map may have beside those it names. */
const freeKeys = (name: string, { def: { catchall } }: z.ZodObject): ArchiveSetting[] =>
  name === "caps" && catchall !== undefined
    ? [{ name: "caps.per_repo_max_…", schema: (catchall as z.ZodType).meta({ description: FREE_CAP }) }]
    : [];

const FREE_CAP = "Any number of others: pages of one repo whose type has this name as its `cap`.";

/** In words; nested keys have rows of their own. */
function keyType(schema: z.ZodType): string {
  const inner = innermost(schema);
  const isList = inner instanceof z.ZodArray && innermost(inner.element) instanceof z.ZodObject;
  if (!isList && !(inner instanceof z.ZodObject)) return typeOf({ schema });
  return (isList ? "list of maps" : "map") + (schema.safeParse(null).success ? " or null" : "");
}

function innermost(schema: unknown): unknown {
  let at = schema;
  while (at instanceof z.ZodDefault || at instanceof z.ZodPrefault || at instanceof z.ZodNullable) at = at.unwrap();
  return at instanceof z.ZodPipe ? innermost(at.in) : at;
}

function row({ name, schema }: ArchiveSetting): string[] {
  const isRequired = !(schema instanceof z.ZodDefault);
  const json = z.toJSONSchema(schema, { io: "input" }) as { default?: unknown };
  return [
    code(name),
    keyType(schema),
    isRequired ? "none (required)" : code(name.endsWith("permissions") ? '"0o644"' : JSON.stringify(json.default)),
    String(schema.meta()?.["description"] ?? ""),
  ];
}
