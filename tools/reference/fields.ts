/** docs/reference/fields.md: the fields to list, filter and export, from the field tables. */

import { FIELDS } from "../../src/site/facts/fact-fields.ts";
import { KINDS, NOFOLLOW, ON_NOINDEX, VIAS } from "../../src/site/links/link-kinds.ts";
import { NUMBER_NAMES, NUMBERS } from "../../src/site/numbers.ts";
import { LINK_FLAGS } from "../../src/site/page/link-types.ts";
import { LINK_POSITIONS } from "../../src/site/page/page-content.ts";
import { LINK_FIELD_NAMES } from "../../src/site/store/link-queries.ts";
import { code, generatedNote, markdownTable } from "../markdown.ts";

export function fieldsPage(): string {
  const rows = FIELDS.map(({ name, type, description }) => [code(name), type, description]);
  return [
    generatedNote("the tables of `src/site/store` and `src/site`"),
    HEAD,
    markdownTable(["Field", "Type", "Meaning"], rows),
    LINKS_HEAD,
    LINK_FIELD_NAMES.map((name) => `- ${code(name)}`).join("\n"),
    COUNTS_HEAD,
    countTable(),
    NUMBERS_HEAD,
    numberTable(),
    "",
  ].join("\n\n");
}

function countTable(): string {
  const rows = NUMBER_NAMES.map((name) => {
    const { label, meaning, filter, of } = NUMBERS[name];
    return [label, meaning, filter.map(code).join(" "), of === null ? "" : NUMBERS[of].label];
  });
  return markdownTable(["Number", "What it counts", "Filters that list it", "Percentages are of"], rows);
}

function numberTable(): string {
  const words = (list: readonly string[]) => list.map((word, index) => `${index} ${word}`).join(", ");
  const bits = Object.entries(LINK_FLAGS).map(([word, bit]) => `${bit} ${word}`);
  const found = `${words(VIAS)}; bit ${NOFOLLOW}: the link is marked nofollow, bit ${ON_NOINDEX}: its page is marked noindex`;
  return markdownTable(
    ["Column", "Numbers"],
    [
      ["urls.via, its lowest four bits", found],
      ["urls.kind, links.type", words(KINDS)],
      ["links.position", words(LINK_POSITIONS)],
      ["links.flags, bits", bits.join(", ")],
    ],
  );
}

const HEAD = `# Fields

## Of a URL

Use them in \`trawl urls\` and \`trawl export\`: \`--fields url,status\`, \`--filter "status>=400"\`, and, in \`trawl urls\` only,
\`--sort -timeTotal\`. A filter is a field, one of \`=\` \`!=\` \`>\` \`>=\` \`<\` \`<=\` \`~\` (contains) \`!~\` (does not contain), and a
value. \`status=4xx\` matches every 4xx status; \`title=\` matches URLs without a title; \`isPage=true\` and \`isPage=false\` ask a
boolean, which is empty where the question does not apply. A URL must match all filters. SQL has its own names of columns, with
underscores: [tables](tables.md).`;

const LINKS_HEAD = `## Of a link

Use them in \`trawl export <id> --what links\`. Filters there apply to the link's target and use the fields of a URL.`;

const COUNTS_HEAD = `## Numbers about a crawl

Every screen, command and answer uses these definitions. A count is made from the filters next to it, so it always equals the
list that they give: \`trawl urls 12 --filter outcome=broken\` lists exactly the broken URLs.`;

const NUMBERS_HEAD = `## Numbers in the database

[Tables](../data.md) store these words as numbers:`;
