/** `trawl robots test <url…>`: whether robots.txt allows a URL, and which line decides. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { type RobotsVerdict, testRobots } from "../../../app/operations/config.ts";
import { ask } from "../../../app/operations/operation.ts";
import { TrawlError } from "../../../errors.ts";
import { clean } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { table } from "../output/table.ts";

interface TestOptions extends JsonOption {
  file?: string;
  agent: string;
}

export function addRobotsCommand(program: Command, cli: Cli): void {
  const robots = program
    .command("robots")
    .helpCommand(false)
    .description("Reads robots.txt as Trawl does while crawling: RFC 9309, with Google's precedence.");
  const command = robots
    .command("test")
    .summary("show whether robots.txt allows a URL, and which line decides")
    .description(
      "Shows whether robots.txt allows URLs, and which line decides. robots.txt is fetched from the URL's host. If " +
        "it cannot be fetched, the command says why and exits with 1; a crawl fetches nothing from that host.",
    )
    .argument("<url...>", "the URLs")
    .option("--file <file>", "Read the rules from this file instead.")
    .option("--agent <name>", "The crawler's name.", "trawl");
  addJson(command, "Print one JSON line per URL.");
  addExamples(command, [
    ["trawl robots test https://example.com/private/", "with the site's robots.txt"],
    ["trawl robots test example.com/a example.com/b --agent Googlebot", "as another crawler"],
    ["trawl robots test --file robots.txt https://example.com/a", "before you publish the file"],
  ]);
  command.action(async (urls: string[], options: TestOptions) => {
    const tested = await withApp(cli, (app) => testUrls(app, urls, options));
    if (options.json) for (const result of tested) cli.terminal.json(result);
    else printTests(cli, tested);
    if (tested.some(({ unreachable }) => unreachable)) cli.exitCode = 1;
  });
}

async function testUrls(app: App, urls: string[], { file, agent }: TestOptions): Promise<RobotsVerdict[]> {
  const text = file === undefined ? null : readRules(file);
  const { rows: verdicts } = await ask(app, testRobots, { urls, agent, text });
  return file === undefined ? verdicts : verdicts.map((verdict) => ({ ...verdict, source: file }));
}

function readRules(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${(error as Error).message}`);
  }
}

function printTests({ terminal }: Cli, tested: RobotsVerdict[]): void {
  const { style, proseWidth } = terminal;
  terminal.lines(
    tested.flatMap((result) => [
      `${result.allowed ? style.good("allowed") : style.bad(refusal(result))}  ${clean(result.url)}`,
      ...table({
        columns: [{ title: "", wrapped: true, least: 40 }],
        rows: because(result).map((text) => [{ text: clean(text), style: style.dim }]),
        width: proseWidth,
        indent: 2,
      }),
    ]),
  );
}

const refusal = ({ unreachable }: RobotsVerdict): string => (unreachable ? "unreachable" : "disallowed");

/** What a crawl would do, by RFC 9309 section 2.3.1.4. */
const UNREACHABLE = "Until that changes, a crawl fetches nothing from this host (RFC 9309); it tries again later.";

function because({ unreachable, line, rule, group, source }: RobotsVerdict): string[] {
  if (unreachable) return [source, UNREACHABLE];
  if (line !== null) return [`line ${line}: ${rule} (for ${group}, in ${source})`];
  return [group === null ? source : `no line matches (for ${group}, in ${source})`];
}
