/** The files that `configure` writes: every setting explained, with its default, and seeds to start from. */
import { z } from "zod";
import { capName, forHosts, type Profile } from "../profile/profile.ts";
import { archiveConfigSchema } from "./archive-config.ts";

export const CONFIG_FILE = "archive.yaml";
export const SEEDS_FILE = "seeds.txt";
const WIDTH = 100;

export interface TemplateChoices {
  profile: string;
  /** Null leaves the line for the user to fill in; nothing is fetched until then. */
  userAgent: string | null;
  /** Null for the hosts of the profile. */
  hosts?: readonly string[] | null;
}

/** `archive.yaml`: every setting at its default, preceded by its meaning. */
export function configTemplate(
  { profile, userAgent, hosts = null }: TemplateChoices,
  { caps }: Pick<Profile, "caps">,
): string {
  const chosen: Record<string, unknown> = {
    profile,
    user_agent: userAgent ?? "",
    ...(hosts !== null && { "scope.allowed_hosts": hosts }),
  };
  const line = (name: string, key: string, schema: z.ZodType, indent: string): string =>
    `${indent}${key}: ${yaml(key, name in chosen ? chosen[name] : defaultOf(schema))}`;
  const parts = Object.entries(archiveConfigSchema.shape).map(([name, schema]) => {
    const inner = unwrap(schema);
    const comment = commentOf(schema, "");
    if (!(inner instanceof z.ZodObject)) return [...comment, line(name, name, schema, "")].join("\n");
    const lines =
      name === "caps"
        ? capLines(inner.shape, caps)
        : Object.entries(inner.shape).flatMap(([key, value]) => [
            ...commentOf(value as z.ZodType, "  "),
            line(`${name}.${key}`, key, value as z.ZodType, "  "),
          ]);
    return [...comment, `${name}:`, ...lines].join("\n");
  });
  return `${[HEAD, ...parts].join("\n\n")}\n`;
}

/** The caps that the profile has, each with its value. */
const capLines = (shape: z.ZodRawShape, caps: Profile["caps"]): string[] =>
  Object.entries(caps).flatMap(([key, value]) => {
    const schema = shape[key] as z.ZodType | undefined;
    const own = `Pages of one repo that count as ${capName(key)?.replaceAll("_", " ")}.`;
    return [...(schema === undefined ? [`  # ${own}`] : commentOf(schema, "  ")), `  ${key}: null # ${value}`];
  });

/** `{host}` in a profile's seeds is replaced by each of the hosts. */
export const seedsTemplate = ({ seeds, hosts }: Profile, chosen: readonly string[] | null = null): string =>
  [
    "# One URL per line; the archive starts from these.",
    ...seeds.flatMap((seed) => forHosts(seed, chosen ?? hosts)),
    "",
  ].join("\n");

/** The URLs of a seeds file, as written. */
export const readSeeds = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));

const HEAD = `# Settings of an archive: trawl archive run
# Each is shown with its default, which also applies to settings that are left out.
# Paths are relative to the folder of this file.`;

function unwrap(schema: unknown): unknown {
  let at = schema;
  while (at instanceof z.ZodDefault || at instanceof z.ZodPrefault) at = at.unwrap();
  return at;
}

const defaultOf = (schema: z.ZodType): unknown => (schema instanceof z.ZodDefault ? schema.parse(undefined) : null);

/** JSON is valid YAML and needs no quoting rules. Permissions are written as people write them. */
const yaml = (name: string, value: unknown): string =>
  name.endsWith("_permissions") ? `"0o${Number(value).toString(8)}"` : JSON.stringify(value).replaceAll('","', '", "');

function commentOf(schema: z.ZodType, indent: string): string[] {
  const description = schema.meta()?.["description"];
  if (typeof description !== "string") return [];
  const lines: string[] = [];
  let line = "";
  for (const word of description.split(" ")) {
    if (line !== "" && line.length + word.length > WIDTH) {
      lines.push(line);
      line = "";
    }
    line += `${line === "" ? "" : " "}${word}`;
  }
  return [...lines, line].map((part) => `${indent}# ${part}`);
}
