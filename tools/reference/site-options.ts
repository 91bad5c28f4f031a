/** The type of the library's settings, with a comment for each: types made by zod carry none. */
import { z } from "zod";
import { SETTINGS, siteConfigSchema } from "../../src/site/site-config.ts";

const WIDTH = 110;

interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
}

export function siteOptionsFile(): string {
  const { properties = {} } = z.toJSONSchema(siteConfigSchema, { io: "input", unrepresentable: "any" });
  const members = SETTINGS.map(({ name, description, defaultValue }) => {
    const usual = `Default: ${JSON.stringify(defaultValue)}.`;
    const text = `${description} ${usual}`;
    return `${comment(text)}\n  ${name}?: ${typeOf(properties[name] as JsonSchema)} | undefined;`;
  });
  return `/**
 * Settings of a site crawl as they are given: everything has a default.
 *
 * Written by \`npm run docs\` from the schema in site-config.ts, which checks that both agree.
 */
export interface SiteOptions {
${members.join("\n")}
}
`;
}

function comment(text: string): string {
  const lines: string[] = [""];
  for (const word of text.replaceAll("*/", "*\\/").split(" ")) {
    if (lines.at(-1)!.length + word.length > WIDTH) lines.push("");
    lines[lines.length - 1] += lines.at(-1) === "" ? word : ` ${word}`;
  }
  return lines.length === 1
    ? `  /** ${lines[0]} */`
    : ["  /**", ...lines.map((line) => `   * ${line}`), "   */"].join("\n");
}

function typeOf(schema: JsonSchema): string {
  const { type, enum: values, const: value, anyOf, items, additionalProperties: entries } = schema;
  if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(" | ");
  if (value !== undefined) return JSON.stringify(value);
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(" | ");
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(" | ");
  if (type === "array") return `Array<${typeOf(items ?? {})}>`;
  if (type === "object") return `Record<string, ${typeof entries === "object" ? typeOf(entries) : "unknown"}>`;
  if (type === "integer" || type === "number") return "number";
  if (type === "string" || type === "boolean" || type === "null") return type;
  throw new Error(`tools/reference/site-options.ts knows no type for ${JSON.stringify(schema)}`);
}
