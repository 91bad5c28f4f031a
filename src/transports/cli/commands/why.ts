/** `trawl why [id] <url>`: what was decided about a URL, by which rule, and how the crawl found it. */
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { ask } from "../../../app/operations/operation.ts";
import { type WhyAnswer, whyUrl } from "../../../app/operations/urls.ts";
import { clean, counted } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { flagOf } from "../crawl-options.ts";
import { addExamples } from "../help.ts";
import { addUrlArguments, crawlAndUrl } from "../named.ts";
import { table } from "../output/table.ts";

export function addWhyCommand(program: Command, cli: Cli): void {
  const command = program
    .command("why")
    .description(
      "Shows what was decided about a URL and why: the reason, the rule behind it, the setting that would change it, " +
        "and the links that lead to it from the start.",
    );
  addUrlArguments(command);
  addJson(command);
  addExamples(command, [
    ["trawl why 12 https://example.com/private/", "why was this not crawled?"],
    ["trawl why /en/about", "by its path, in the newest crawl"],
  ]);
  command.action((id: string | undefined, url: string | undefined, { json }: JsonOption) =>
    withApp(cli, (app) => explain(cli, app, crawlAndUrl(app, id, url), json === true)),
  );
}

/** The setting with the flag that changes it. */
interface Explanation extends Omit<WhyAnswer, "setting" | "way"> {
  setting: (NonNullable<WhyAnswer["setting"]> & { flag: string }) | null;
}

async function explain({ terminal }: Cli, app: App, asked: { id: number; url: string }, json: boolean): Promise<void> {
  const explanation = explanationOf(await ask(app, whyUrl, asked));
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
    style.bold("Path from the start"),
    ...pathLines(explanation.path).map((line) => `  ${line}`),
  ]);
}

const explanationOf = ({ way: _older, setting, ...why }: WhyAnswer): Explanation => ({
  ...why,
  setting: setting === null ? null : { ...setting, flag: flagOf(setting) },
});

const VERDICTS: Record<string, string> = {
  crawl: "to be crawled",
  record: "not crawled; recorded with the links to it",
  skip: "not crawled",
};

function factRows({
  verdict,
  reason,
  meaning,
  rule,
  directive,
  setting,
  outcome,
  depth,
}: Explanation): [string, string][] {
  const rows: [string, string][] = [["verdict", VERDICTS[verdict] ?? verdict]];
  if (outcome !== null) rows.push(["outcome", outcome]);
  if (reason !== null) rows.push(["reason", `${meaning} (${reason})`]);
  if (rule !== null) rows.push(["rule", rule]);
  if (directive !== null) rows.push(["said by", `${directive.page}, for all its links: ${directive.written}`]);
  if (setting !== null)
    rows.push([
      "setting",
      `${setting.name} is ${JSON.stringify(setting.value)}; ${setting.flag} changes it. ${setting.description}`,
    ]);
  rows.push(["depth", `${counted(depth, "link")} from the start`]);
  return rows;
}

/** A path into an endless calendar has hundreds of steps; both ends are enough. */
const SHOWN_AT_EACH_END = 8;

function pathLines(path: WhyAnswer["path"]): string[] {
  const lines = path.map(({ url, via, linkText: text }, index) => `${index + 1}. ${clean(url)}${howFound(via, text)}`);
  if (lines.length <= 2 * SHOWN_AT_EACH_END + 1) return lines;
  const left = lines.length - 2 * SHOWN_AT_EACH_END;
  return [...lines.slice(0, SHOWN_AT_EACH_END), `   … ${left} more …`, ...lines.slice(-SHOWN_AT_EACH_END)];
}

const VIA_TEXTS: Record<string, string> = {
  initial: "the start",
  list: "in the list",
  sitemap: "sitemap",
  llms: "llms.txt",
  resource: "resource of the page",
  network: "requested by the page's script",
  redirect: "redirect",
};

function howFound(via: string, text: string | null): string {
  if (via !== "spider") return `  (${VIA_TEXTS[via] ?? via})`;
  return text === null || text.trim() === "" ? "  (link)" : `  (link "${clean(text.trim())}")`;
}
