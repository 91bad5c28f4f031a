/** `trawl why <id> <url>`: what was decided about a URL, by which rule, and how the crawl came to it. */
import { STATUS_CODES } from "node:http";
import type { Command } from "commander";
import { SETTINGS, type SiteConfig } from "../../../site/config.ts";
import { findUrl, linksOut, pathFromStart, type UrlRecord } from "../../../site/store/link-queries.ts";
import type { SiteReader } from "../../../site/store/reader.ts";
import { addJson, type Cli, crawlUrl, type JsonOption, type OpenCrawl, withCrawl } from "../cli.ts";
import { addExamples } from "../help.ts";
import { flagOf } from "../options.ts";
import { clean } from "../output/clean.ts";
import { fetchErrorMeaning, reasonMeaning, reasonSetting } from "../output/meanings.ts";
import { counted } from "../output/numbers.ts";
import { table } from "../output/table.ts";

export function addWhyCommand(program: Command, cli: Cli): void {
  const command = program
    .command("why")
    .summary("tell why a URL was crawled or not")
    .description(
      "Tells what was decided about a URL and why: the reason, the rule behind it, the setting that would change it, " +
        "and the links that lead to it from the start.",
    )
    .argument("<id>", "the crawl, or `last`")
    .argument("<url>", "the URL, or its path alone");
  addJson(command);
  addExamples(command, [
    ["trawl why 12 https://example.com/private/", "why was this not crawled?"],
    ["trawl why last /en/about", "by its path, in the newest crawl"],
  ]);
  command.action((id: string, url: string, { json }: JsonOption) =>
    withCrawl(cli, id, (crawl) => explain(cli, crawl, url, json === true)),
  );
}

/** One step of the way: the URL, and the link on the page before that led to it. */
interface Step {
  url: string;
  via: string;
  linkText: string | null;
}

interface Explanation {
  url: string;
  verdict: string;
  state: string | null;
  reason: string | null;
  meaning: string | null;
  rule: string | null;
  setting: { name: string; flag: string; value: unknown; description: string } | null;
  outcome: string | null;
  depth: number;
  path: Step[];
}

function explain({ terminal }: Cli, crawl: OpenCrawl, typed: string, json: boolean): void {
  const explanation = explanationOf(crawl, findUrl(crawl.reader, crawlUrl(crawl, typed)));
  if (json) {
    terminal.json(explanation);
    return;
  }
  const { style, proseWidth } = terminal;
  terminal.lines([
    style.bold(clean(explanation.url)),
    ...table({
      columns: [{ title: "" }, { title: "", wrapped: true, least: 20 }],
      rows: factRows(explanation).map(([name, text]) => [{ text: name, style: style.dim }, clean(text)]),
      width: proseWidth,
      indent: 2,
    }),
    "",
    style.bold("The way from the start"),
    ...wayLines(explanation.path).map((line) => `  ${line}`),
  ]);
}

function explanationOf({ record, reader }: OpenCrawl, found: UrlRecord): Explanation {
  const { url, verdict, state, reason, rule, depth } = found;
  return {
    url,
    verdict,
    state,
    reason,
    meaning: reason === null ? null : reasonMeaning(reason),
    rule,
    setting: settingBehind(reason, rule, record.settings as SiteConfig),
    outcome: outcomeOf(reader, found),
    depth,
    path: wayTo(reader, found.id),
  };
}

/** The rule names the setting where a reason has several. */
function settingBehind(reason: string | null, rule: string | null, config: SiteConfig): Explanation["setting"] {
  const setting =
    SETTINGS.find(({ name }) => name === rule) ?? SETTINGS.find(({ name }) => name === reasonSetting(reason));
  if (setting === undefined) return null;
  const { name, description } = setting;
  return { name, flag: flagOf(setting), value: config[name], description };
}

/** What came of the fetch, in words. */
function outcomeOf(reader: SiteReader, { url, verdict, state }: UrlRecord): string | null {
  if (verdict !== "crawl") return null;
  if (state === "open") return "It waits to be crawled.";
  const asked = { filters: [`url=${url}`], search: null, sort: null, limit: 1, cursor: null };
  const row = reader.urls({
    ...asked,
    fields: ["status", "error", "error_detail", "content_type", "redirect_to", "indexable", "indexability"],
  }).rows[0];
  if (row === undefined) return null;
  if (row["error"] !== null) return `No answer: ${fetchErrorMeaning(String(row["error"]), row["error_detail"])}`;
  const parts = [`${row["status"]} ${STATUS_CODES[Number(row["status"])] ?? ""}`.trim(), row["content_type"]];
  if (row["redirect_to"] !== null) parts.push(`redirects to ${row["redirect_to"]}`);
  if (row["indexable"] === "No") parts.push(`not indexable: ${row["indexability"]}`);
  return parts.filter((part) => part !== null).join(", ");
}

function wayTo(reader: SiteReader, id: number): Step[] {
  const way = pathFromStart(reader, id);
  return way.map(({ url, via }, index) => ({
    url,
    via,
    linkText: index === 0 || via !== "spider" ? null : linkText(reader, way[index - 1]!.id, url),
  }));
}

/** The text of the first link on a page that leads to a URL. */
function linkText(reader: SiteReader, page: number, url: string): string | null {
  for (let after: number | null = 0; after !== null; ) {
    const { rows, next } = linksOut(reader, page, 1_000, after);
    const link = rows.find((row) => row.url === url);
    if (link !== undefined) return link.text;
    after = next;
  }
  return null;
}

function factRows({ verdict, reason, meaning, rule, setting, outcome, depth }: Explanation): [string, string][] {
  const rows: [string, string][] = [["verdict", verdict]];
  if (outcome !== null) rows.push(["outcome", outcome]);
  if (reason !== null) rows.push(["reason", `${reason}: ${meaning}`]);
  if (rule !== null) rows.push(["rule", rule]);
  if (setting !== null)
    rows.push([
      "setting",
      `${setting.name} is ${JSON.stringify(setting.value)}; ${setting.flag} changes it. ${setting.description}`,
    ]);
  rows.push(["depth", `${counted(depth, "link")} from the start`]);
  return rows;
}

/** A way into an endless calendar has hundreds of steps: the ends tell enough. */
const SHOWN_AT_EACH_END = 8;

function wayLines(way: Step[]): string[] {
  const lines = way.map(({ url, via, linkText: text }, index) => `${index + 1}. ${clean(url)}${howFound(via, text)}`);
  if (lines.length <= 2 * SHOWN_AT_EACH_END + 1) return lines;
  const left = lines.length - 2 * SHOWN_AT_EACH_END;
  return [...lines.slice(0, SHOWN_AT_EACH_END), `   … ${left} more …`, ...lines.slice(-SHOWN_AT_EACH_END)];
}

const VIA_TEXTS: Record<string, string> = {
  initial: "the start",
  list: "in the list",
  sitemap: "sitemap",
  resource: "resource of the page",
  network: "requested by the page's script",
  redirect: "redirect",
};

function howFound(via: string, text: string | null): string {
  if (via !== "spider") return `  (${VIA_TEXTS[via] ?? via})`;
  return text === null || text.trim() === "" ? "  (link)" : `  (link "${clean(text.trim())}")`;
}
