/** The reference of audit rules. */

import { type Rule, SCOPES } from "../../src/site/audit/rule.ts";
import { RULE_GROUPS, RULES } from "../../src/site/audit/rule-table.ts";
import { RICH_RESULTS_CHECKED } from "../../src/site/page/structured-data/rich-results.ts";
import { SCHEMA_VERSION } from "../../src/site/page/structured-data/schema-org.ts";
import { generatedNote } from "../markdown.ts";

/** Rules that other crawlers have, and why Trawl does not. */
const LEFT_OUT: readonly [what: string, why: string][] = [
  [
    "Spelling and grammar (`content.spelling`, `content.grammar`)",
    "they take a dictionary and a grammar for every language of a site. With a word list alone, most findings would be names and technical terms.",
  ],
  [
    "Pages with the same meaning (`content.semantic_duplicate`)",
    "it takes a language model. `content.near_duplicate` compares the words of pages instead.",
  ],
  [
    "Differences between the mobile and the desktop page (`mobile.parity`)",
    "every page would have to be fetched twice. Crawl the site a second time with the `--user-agent` of a phone, and let `trawl compare` show the differences.",
  ],
];

export function auditRulesPage(): string {
  return [
    generatedNote("`src/site/audit/rules`"),
    "",
    "# Audit rules",
    "",
    `Trawl judges every crawl by ${RULES.length} rules when it ends. \`trawl issues ID\` lists what they found, \`trawl issues ID RULE\` shows where,`,
    "and `trawl audit ID` judges a crawl again without fetching anything of the site; with `--crux` or `--search-console` and a key, it asks Google what visitors experienced. Thresholds are changed with the setting `thresholds`, such as",
    "`--thresholds titleMaxChars=70`; rules are left out with `ignoreRules`.",
    "",
    "Errors should be fixed, warnings should be looked at, and notices are chances to do better. The priority says how much it matters.",
    "",
    `Structured data is checked against the vocabulary of schema.org ${SCHEMA_VERSION}, and against a table of the properties that Google requires and`,
    `recommends. ${RICH_RESULTS_CHECKED}`,
    ...RULE_GROUPS.flatMap(({ name, rules }) => ["", `## ${name}`, ...rules.flatMap(ruleLines)]),
    "",
    "## What is not judged",
    "",
    ...LEFT_OUT.map(([what, why]) => `- **${what}**: ${why}`),
  ].join("\n");
}

function ruleLines({ id, name, severity, priority, on, why, fix, link, thresholds, phase }: Rule): string[] {
  const numbers = Object.entries(thresholds).map(([threshold, value]) => `\`${threshold}\` ${value}`);
  return [
    "",
    `### ${id}`,
    "",
    `**${name}.** ${capital(severity)}, ${priority} priority. Judged for ${SCOPES[on].label}${phase === "render" ? ", with `--render`" : ""}.`,
    "",
    `${why} ${fix} [More](${link})`,
    ...(numbers.length === 0 ? [] : ["", `Thresholds: ${numbers.join(", ")}.`]),
  ];
}

const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1);
