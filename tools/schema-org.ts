/**
 * Writes src/site/page/structured-data/schema-org.ts from the vocabulary that schema.org publishes (schemaorg-all-https.jsonld):
 * `node tools/schema-org.ts FILE VERSION`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./command.ts";

interface Term {
  "@id": string;
  "@type": string | string[];
  "rdfs:subClassOf"?: Reference | Reference[];
  "schema:rangeIncludes"?: Reference | Reference[];
}
interface Reference {
  "@id": string;
}

const [file, version] = process.argv.slice(2);
if (file === undefined || version === undefined) throw new Error("usage: node tools/schema-org.ts FILE VERSION");
const { "@graph": graph } = JSON.parse(readFileSync(file, "utf8")) as { "@graph": Term[] };
const list = <T>(value: T | T[] | undefined): T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
const nameOf = (id: string): string => id.replace(/^schema:/, "");
const terms = (type: string): Term[] =>
  graph.filter((term) => term["@id"].startsWith("schema:") && list(term["@type"]).includes(type));

/** How values of these types are written; what is missing here is a thing with properties. */
const WRITTEN: Record<string, string> = {
  ...{ Text: "text", URL: "text", CssSelectorType: "text", XPathType: "text", PronounceableText: "text", Time: "text" },
  ...{ Number: "number", Integer: "number", Float: "number", Boolean: "boolean", Date: "date", DateTime: "date" },
};
const expected = ({ "schema:rangeIncludes": range }: Term): string => {
  const kinds = new Set(list(range).map((each) => WRITTEN[nameOf(each["@id"])] ?? "thing"));
  return kinds.size === 1 ? [...kinds][0]! : kinds.has("thing") ? "any" : "text";
};

const properties = new Map<string, string[]>();
for (const term of terms("rdf:Property")) {
  const kind = expected(term) === "thing" ? "any" : expected(term);
  properties.set(kind, [...(properties.get(kind) ?? []), nameOf(term["@id"])]);
}
const types = terms("rdfs:Class").map((term) => nameOf(term["@id"]));
const text = (names: readonly string[]): string => {
  const lines = [""];
  for (const name of [...names].sort()) {
    if (lines.at(-1)!.length + name.length > 130) lines.push("");
    lines[lines.length - 1] += lines.at(-1) === "" ? name : ` ${name}`;
  }
  return lines.join("\n");
};
const kinds = [...properties].sort().map(([kind, names]) => `  ${kind}: \`${text(names)}\`,\n`);
writeFileSync(
  join(ROOT, "src/site/page/structured-data/schema-org.ts"),
  `/** The vocabulary of schema.org ${version}, written by \`tools/schema-org.ts\`. */

export const SCHEMA_VERSION = "${version}";

export const SCHEMA_TYPES = \`${text(types)}\`;

/** Properties by how their values are written; \`any\`: as a thing with properties, or in several ways. */
export const SCHEMA_PROPERTIES = {
${kinds.join("")}} as const;
`,
);
