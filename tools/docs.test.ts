import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { RULE_IDS } from "../src/app/data/audits.ts";
import { COUNTERS, type Definition } from "../src/archive/archive-metrics.ts";
import { REASONS as ARCHIVE_REASONS } from "../src/archive/policy/policy.ts";
import { BUILT_IN } from "../src/archive/profile/load-profile.ts";
import { ERRORS } from "../src/errors.ts";
import { FETCH_ERRORS } from "../src/net/fetch-errors.ts";
import { FIELD_NAMES } from "../src/site/facts/fact-fields.ts";
import { SETTINGS } from "../src/site/site-config.ts";
import { REASONS } from "../src/site/site-reasons.ts";
import { LINK_FIELD_NAMES } from "../src/site/store/link-queries.ts";
import { TOOLS } from "../src/transports/mcp/server.ts";
import { ROOT } from "./command.ts";
import { referencePages } from "./docs.ts";
import { difference } from "./generated.ts";
import { firstCells } from "./markdown.ts";
import { archiveSettings, profileKeys } from "./reference/archive.ts";
import { commandPaths } from "./reference/cli.ts";

/** The pages as they are committed: what a reader sees. */
const committed = (name: string): string => readFileSync(join(ROOT, "docs/reference", `${name}.md`), "utf8");

let generated: Map<string, string>;
before(async () => {
  generated = new Map((await referencePages()).map(({ path, text }) => [path, text]));
});

/** Each name in the table is on the page, and each on the page is in the table. */
function sameNames(onPage: string[], inTable: readonly string[]): void {
  assert.deepEqual(onPage.toSorted(), [...inTable].sort());
}

test("README counts the rules and tools that there are", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  assert.match(readme, new RegExp(`^\\| Audit rules \\| ${RULE_IDS.length} \\|`, "m"));
  assert.match(readme, new RegExp(`^\\| MCP server \\| yes, ${TOOLS.length} tools \\|`, "m"));
});

test("the settings page and the schema name the same settings", () => {
  sameNames(
    firstCells(committed("configuration")),
    SETTINGS.map(({ name }) => name),
  );
});

test("the archive page and its tables name the same settings, profiles with their keys, reasons and counts", () => {
  const counts = (COUNTERS as readonly Definition[]).flatMap(({ name, label }) => (label === undefined ? [name] : []));
  sameNames(firstCells(committed("archive")), [
    ...archiveSettings().map(({ name }) => name),
    ...BUILT_IN.map(({ name }) => name),
    ...profileKeys().map(({ name }) => name),
    ...Object.keys(ARCHIVE_REASONS),
    ...counts,
  ]);
});

test("the reasons page and the reason table name the same reasons", () => {
  sameNames(firstCells(committed("reasons")), Object.keys(REASONS));
});

test("the errors page and the error tables name the same codes", () => {
  sameNames(firstCells(committed("errors")), [...Object.keys(ERRORS), ...Object.keys(FETCH_ERRORS)]);
});

test("the fields page and the field tables name the same fields", () => {
  const page = committed("fields");
  sameNames(firstCells(page), FIELD_NAMES);
  sameNames(
    [...page.matchAll(/^- `([^`]+)`$/gm)].map(([, name]) => name!),
    LINK_FIELD_NAMES,
  );
});

test("the command page has the help of every command", async () => {
  const titles = [...committed("cli").matchAll(/^## trawl (.+)$/gm)].map(([, path]) => path!);
  sameNames(
    titles,
    (await commandPaths()).slice(1).map((path) => path.join(" ")),
  );
});

test("every reason's setting is a setting", () => {
  const names = new Set<string>(SETTINGS.map(({ name }) => name));
  for (const { setting } of Object.values(REASONS)) assert.ok(setting === null || names.has(setting), setting ?? "");
});

test("every generated page is up to date", () => {
  for (const [path, text] of generated) {
    assert.equal(difference(readFileSync(join(ROOT, path), "utf8"), text), "", `${path}: run npm run docs`);
  }
});
