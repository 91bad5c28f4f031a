/** docs/reference/configuration.md: every setting, from the schema. */
import { z } from "zod";
import { SETTING_GROUPS, SETTINGS, type Setting } from "../../src/site/site-config.ts";
import { flagOf } from "../../src/transports/cli/crawl-options.ts";
import { code, generatedNote, markdownTable } from "../markdown.ts";

export function configurationPage(): string {
  const groups = SETTING_GROUPS.map((group) => {
    const rows = SETTINGS.filter((setting) => setting.group === group).map(row);
    return `## ${group[0]!.toUpperCase()}${group.slice(1)}\n\n${markdownTable(["Setting", "Flag", "Type", "Default", "What it does"], rows)}`;
  });
  return [generatedNote("`src/site/site-config.ts`"), HEAD, ...groups].join("\n\n").concat("\n");
}

const HEAD = `# Configuration

A setting has the same name and meaning in a settings file and in the library's options. Every setting is also a flag.

- A settings file is YAML. \`trawl config init\` writes one with every setting, \`trawl config validate\` checks it, and
  \`trawl crawl <url> --config trawl.yaml\` uses it. Flags override the file.
- A switch has two flags, \`--name\` and \`--no-name\`; the tables show the one that changes the default.
- Give a list as values separated by commas, or repeat the flag. Values of \`include\`, \`exclude\` and \`sitemapUrls\` can
  contain commas, so repeat the flag for each value. \`headers\` is a map in the file; as flags, repeat
  \`--header "Name: value"\`.
- \`trawl config save <url>\` saves settings for every crawl of a site, wherever it is started.
- The settings of a crawl are stored with it, and \`trawl resume\` uses them again.
- Settings marked **owner only** name a program, file or route on your machine, or lower a guard. They are accepted on the
  command line, in your files and from the library. The web app, the REST API, agents and their schedules use what you saved,
  and get status 422 if they try to change it.`;

const row = (setting: Setting): string[] => [
  code(setting.name),
  code(flag(setting)),
  typeOf(setting),
  defaultOf(setting.defaultValue),
  setting.ownerOnly === undefined ? setting.description : `${setting.description} **Owner only.**`,
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
export function typeOf({ schema, older = [] }: Pick<Setting, "schema" | "older">): string {
  const json = z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
  if (json.items?.enum !== undefined) json.items.enum = json.items.enum.filter((choice) => !older.includes(choice));
  return typeText(json);
}

/** Whole numbers have the largest safe integer as their maximum, which is not a limit worth showing. */
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
