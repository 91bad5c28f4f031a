/** docs/reference/fields.md: what can be listed, filtered and exported, from the field tables. */

import { FIELDS } from "../../src/site/facts/fact-fields.ts";
import { KINDS, NOFOLLOW, ON_NOINDEX, VIAS } from "../../src/site/link-kinds.ts";
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
    NUMBERS_HEAD,
    numberTable(),
    "",
  ].join("\n\n");
}

function numberTable(): string {
  const words = (list: readonly string[]) => list.map((word, index) => `${index} ${word}`).join(", ");
  const bits = Object.entries(LINK_FLAGS).map(([word, bit]) => `${bit} ${word}`);
  const found = `${words(VIAS)}; bit ${NOFOLLOW}: the link said nofollow, bit ${ON_NOINDEX}: its page said noindex`;
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

For \`trawl urls\` and \`trawl export\`: \`--fields url,status\`, \`--filter "status>=400"\`, \`--sort -time_total\` (the last for
\`trawl urls\` only). A filter is a field, one of \`=\` \`!=\` \`>\` \`>=\` \`<\` \`<=\` \`~\` (contains) \`!~\`, and a value; \`status=4xx\`
means any of them, \`title=\` means none. All filters must hold.`;

const LINKS_HEAD = `## Of a link

For \`trawl export <id> --what links\`. Filters there ask about the link's target, by the fields above.`;

const NUMBERS_HEAD = `## Numbers in the database

Where [the tables](../data.md) hold numbers in place of words:`;
