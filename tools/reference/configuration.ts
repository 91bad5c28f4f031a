/** docs/reference/configuration.md: every setting, from the schema. */
import { z } from "zod";
import { SETTING_GROUPS, SETTINGS, type Setting } from "../../src/site/site-config.ts";
import { flagOf } from "../../src/transports/cli/options.ts";
import { code, generatedNote, markdownTable } from "../markdown.ts";

export function configurationPage(): string {
  const groups = SETTING_GROUPS.map((group) => {
    const rows = SETTINGS.filter((setting) => setting.group === group).map(row);
    return `## ${group[0]!.toUpperCase()}${group.slice(1)}\n\n${markdownTable(["Setting", "Flag", "Type", "Default", "What it does"], rows)}`;
  });
  return [generatedNote("`src/site/site-config.ts`"), HEAD, ...groups].join("\n\n").concat("\n");
}

const HEAD = `# Configuration

Settings have the same name and meaning in a settings file, in the library's options and, in another spelling, as flags.

- A settings file is YAML: \`trawl config init\` writes one with every setting, \`trawl crawl <url> --config trawl.yaml\` uses
  it, \`trawl config validate\` checks it. Flags win over the file.
- A switch has two flags, \`--name\` and \`--no-name\`; the one that changes the default is listed here.
- A list is given as values separated by commas, or by repeating the flag. \`include\`, \`exclude\` and \`sitemapUrls\` may hold
  commas themselves, so they are given once each. \`headers\` is a map in the file, and one \`--header "Name: value"\` each.
- The settings of a crawl are stored with it: \`trawl resume\` uses the same ones.`;

const row = (setting: Setting): string[] => [
  code(setting.name),
  code(flag(setting)),
  typeOf(setting.schema),
  defaultOf(setting.defaultValue),
  setting.description,
];

const flag = (setting: Setting): string =>
  setting.defaultValue === true ? flagOf(setting).replace("--", "--no-") : flagOf(setting);

const defaultOf = (value: unknown): string => code(JSON.stringify(value).replaceAll('","', '", "'));

/** The parts of JSON Schema that our settings use. */
interface JsonSchema {
  type?: string | string[];
  enum?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  format?: string;
}

/** A setting's type in words. */
export const typeOf = (schema: z.ZodType): string => typeText(z.toJSONSchema(schema, { io: "input" }) as JsonSchema);

/** Whole numbers carry the largest safe integer as their maximum, which says nothing. */
const isBound = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) !== Number.MAX_SAFE_INTEGER;

function typeText(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(" or ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeText({ ...schema, type })).join(" or ");
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ");
  switch (schema.type) {
    case "array":
      return `list of ${schema.items?.enum === undefined ? plural(typeText(schema.items ?? {})) : typeText(schema.items)}`;
    case "object":
      return "map of texts";
    case "string":
      return schema.format === "uri" ? "URL" : "text";
    case "boolean":
      return "switch";
    case "integer":
    case "number":
      return `${schema.type === "integer" ? "whole number" : "number"}${range(schema)}`;
    case "null":
      return "null";
    default:
      throw new Error(`no words for a setting of type ${JSON.stringify(schema)}`);
  }
}

const plural = (text: string): string => `${text}s`;

function range({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  if (isBound(minimum) && isBound(maximum)) return `, ${minimum} to ${maximum}`;
  if (isBound(minimum)) return `, ${minimum} or more`;
  return isBound(exclusiveMinimum) ? `, more than ${exclusiveMinimum}` : "";
}
