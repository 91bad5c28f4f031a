/** `trawl compare <before> <after>`: what changed from one crawl to another. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { App } from "../../../app/app.ts";
import { CHANGES, type ComparisonAnswer, compareCrawls, EFFECTS } from "../../../app/operations/compare.ts";
import { describeCrawl } from "../../../app/operations/crawls.ts";
import { ask, MAX_LIMIT } from "../../../app/operations/operation.ts";
import { TrawlError } from "../../../errors.ts";
import { clean, codeWords, count, counted } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { crawlId } from "../named.ts";
import { type Cell, table } from "../output/table.ts";
import type { Style } from "../output/terminal.ts";
import { readLimit } from "../selection.ts";

interface CompareOptions extends JsonOption {
  change?: (typeof CHANGES)[number];
  effect?: (typeof EFFECTS)[number];
  field?: string;
  search?: string;
  limit: number;
  cursor?: string;
}

export function addCompareCommand(program: Command, cli: Cli): void {
  const command = program
    .command("compare")
    .description(
      "Shows what changed from one crawl to a later one: URLs that were added, are gone (404, 410 or no answer), were not crawled this time, or changed, and in which fields. " +
        "Only URLs that were fetched count.",
    )
    .argument("<before>", "the earlier crawl; if only this one is given, it is compared with the crawl before it")
    .argument("[after]", "the later crawl, or `last`")
    .addOption(
      new Option("--change <kind>", "Only URLs of this kind: added, gone, not_crawled or changed.").argParser(
        readChange,
      ),
    )
    .addOption(
      new Option(
        "--effect <kind>",
        "Only URLs that got worse or better this way: newly broken, fixed and the like.",
      ).choices(EFFECTS),
    )
    .option("--field <name>", "Only URLs whose value of this field changed, such as title or status.")
    .option("--search <text>", "Only URLs that contain this text.")
    .option("--limit <n>", "Maximum number of rows.", readLimit, 50)
    .option("--cursor <text>", "Continue where the previous page ended.");
  addJson(command, "Print { counts, effects, fields, total, rows, next } as JSON.");
  addExamples(command, [
    ["trawl compare 11 12", "what changed from crawl 11 to crawl 12"],
    ["trawl compare last", "the newest crawl against the one of the same site before it"],
    ["trawl compare 11 12 --change gone", "pages that are gone"],
    ["trawl compare 11 12 --change not_crawled", "what was not crawled this time, and why"],
    ["trawl compare 11 12 --effect newly_broken", "what broke"],
    ["trawl compare 11 12 --field title", "pages with a new title, before and after"],
  ]);
  command.action((before: string, after: string | undefined, options: CompareOptions) =>
    withApp(cli, (app) => compare(cli, app, before, after, options)),
  );
}

/** `removed` is the older name. */
function readChange(value: string): (typeof CHANGES)[number] {
  const name = value === "removed" ? "not_crawled" : value;
  const known = CHANGES.find((each) => each === name);
  if (known === undefined) throw new InvalidArgumentError(`Allowed choices are ${CHANGES.join(", ")}.`);
  return known;
}

async function compare(
  cli: Cli,
  app: App,
  before: string,
  after: string | undefined,
  options: CompareOptions,
): Promise<void> {
  const { id, other } = after === undefined ? await withPrevious(app, crawlId(app, before)) : pair(app, before, after);
  const { change = null, effect = null, field = null, search = null, limit } = options;
  const read = (cursor: string | null, left: number) =>
    ask(app, compareCrawls, { id, other, change, effect, field, search, limit: Math.min(left, MAX_LIMIT), cursor });
  const answer = await read(options.cursor ?? null, limit);
  while (answer.next !== null && answer.rows.length < limit) {
    const { rows, next } = await read(answer.next, limit - answer.rows.length);
    answer.rows.push(...rows);
    answer.next = next;
  }
  if (options.json) cli.terminal.json({ before: other, after: id, ...answer });
  else print(cli, other, id, answer);
}

function pair(app: App, before: string, after: string): { id: number; other: number } {
  const [other, id] = [crawlId(app, before), crawlId(app, after)];
  if (id === other) throw new TrawlError("BAD_USAGE", `Both are crawl ${id}: give two different crawls.`);
  return { id, other };
}

async function withPrevious(app: App, id: number): Promise<{ id: number; other: number }> {
  const { crawl, previousId } = await ask(app, describeCrawl, { id, listed: 0 });
  if (previousId !== null) return { id, other: previousId };
  throw new TrawlError(
    "CRAWL_NOT_FOUND",
    `There is no crawl of ${crawl.domain} before crawl ${id} to compare it with.`,
    { hint: `\`trawl again ${crawl.domain} --since ${id}\` crawls it once more; then compare.` },
  );
}

function print({ terminal }: Cli, before: number, after: number, answer: ComparisonAnswer): void {
  const { style, width } = terminal;
  const { added, gone, notCrawled, changed, unchanged } = answer.counts;
  const fields = answer.fields.map(({ field, count: number }) => `${field} (${count(number)})`);
  terminal.lines([
    `From crawl ${before} to crawl ${after}: ${style.good(`${count(added)} added`)}, ${style.bad(`${count(gone)} gone`)}, ${count(notCrawled)} not crawled this time, ${style.warn(`${count(changed)} changed`)}, ${count(unchanged)} unchanged.`,
    ...(fields.length === 0 ? [] : [style.dim(`Changed fields: ${fields.join(", ")}`)]),
    ...(answer.rows.length === 0 ? [] : ["", ...rowLines(answer.rows, style, width)]),
  ]);
  // To stderr, so that a program that reads the table gets only rows.
  const more = answer.next === null ? "" : `; for the next, add --cursor ${answer.next}`;
  const shown = `${count(answer.rows.length)} of ${counted(answer.total, "URL")}${more}`;
  terminal.note(terminal.errorStyle.dim(shown));
}

function rowLines(rows: ComparisonAnswer["rows"], style: Style, width: number): string[] {
  const colours = { added: style.good, gone: style.bad, not_crawled: style.dim, changed: style.warn };
  return table({
    columns: [{ title: "" }, { title: "", least: 24 }],
    rows: rows.flatMap(({ url, change, reason, fields, statusBefore, statusAfter }): (string | Cell)[][] => [
      [{ text: codeWords(change), style: colours[change] }, clean(url)],
      ...fields.map(({ field, before, after }) => [
        "",
        { text: `${field}: ${valueText(before)} → ${valueText(after)}`, style: style.dim },
      ]),
      ...(change === "added" ? [["", { text: `status ${statusAfter ?? "none"}`, style: style.dim }]] : []),
      ...(change === "not_crawled"
        ? [["", { text: `${codeWords(reason ?? "")}; status ${statusBefore ?? "none"} before`, style: style.dim }]]
        : []),
    ]),
    width,
    indent: 2,
  });
}

const valueText = (value: string | number | boolean | null): string =>
  value === null ? "nothing" : typeof value === "string" ? `"${clean(value)}"` : String(value);
