/** `trawl robots test <url…>`: what robots.txt says to a URL, and which line of it. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { TrawlError } from "../../../errors.ts";
import { addJson, type Cli, type JsonOption } from "../cli.ts";
import { addExamples } from "../help.ts";
import { clean } from "../output/clean.ts";
import { table } from "../output/table.ts";

interface TestOptions extends JsonOption {
  file?: string;
  agent: string;
}

/** A verdict on one URL, and what it rests on. */
interface Tested {
  url: string;
  allowed: boolean;
  /** robots.txt could not be fetched, so nobody knows what it says; a crawl takes that for a no. */
  unreachable: boolean;
  line: number | null;
  rule: string | null;
  group: string | null;
  /** Where the rules come from, or why there are none. */
  source: string;
}

export function addRobotsCommand(program: Command, cli: Cli): void {
  const robots = program
    .command("robots")
    .helpCommand(false)
    .summary("ask robots.txt about URLs")
    .description("Reads robots.txt as Trawl does while crawling: RFC 9309, with Google's precedence.");
  const command = robots
    .command("test")
    .summary("tell whether robots.txt allows a URL, and by which line")
    .description(
      "Tells whether robots.txt allows URLs, and which line of it decides. It is fetched from the URL's host. Where " +
        "it cannot be fetched, the command says why and ends with 1; a crawl takes nothing from that host.",
    )
    .argument("<url...>", "the URLs")
    .option("--file <file>", "Read the rules from this file instead.")
    .option("--agent <name>", "The crawler to ask for.", "trawl");
  addJson(command, "Print one JSON line a URL.");
  addExamples(command, [
    ["trawl robots test https://example.com/private/", "asks the site"],
    ["trawl robots test example.com/a example.com/b --agent Googlebot", "as another crawler"],
    ["trawl robots test --file robots.txt https://example.com/a", "before you publish the file"],
  ]);
  command.action(async (urls: string[], options: TestOptions) => {
    const tested = await testUrls(urls, options);
    if (options.json) for (const result of tested) cli.terminal.json(result);
    else printTests(cli, tested);
    if (tested.some(({ unreachable }) => unreachable)) cli.exitCode = 1;
  });
}

async function testUrls(typed: string[], { file, agent }: TestOptions): Promise<Tested[]> {
  const [{ normalizeUrl }, { parseRobots }] = await Promise.all([
    import("../../../app/url-input.ts"),
    import("../../../web/robots/robots.ts"),
  ]);
  const urls = typed.map(normalizeUrl);
  if (file !== undefined) {
    const robots = parseRobots(readRules(file));
    return urls.map((url) => ({ url, unreachable: false, ...robots.test(url, agent), source: file }));
  }
  const { fetchRobots } = await import("../../../site/fetch-robots.ts");
  const answers = await fetchRobots(urls);
  return urls.map((url) => {
    const { origin } = new URL(url);
    const { kind, why, text } = answers.get(origin)!;
    if (kind === "rules") {
      return { url, unreachable: false, ...parseRobots(text).test(url, agent), source: `${origin}/robots.txt` };
    }
    const allowed = kind === "allow-all";
    return { url, allowed, unreachable: !allowed, line: null, rule: null, group: null, source: why };
  });
}

function readRules(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${(error as Error).message}`);
  }
}

function printTests({ terminal }: Cli, tested: Tested[]): void {
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

const refusal = ({ unreachable }: Tested): string => (unreachable ? "unreachable" : "disallowed");

/** What a crawl would do, by RFC 9309 section 2.3.1.4. */
const UNREACHABLE = "Until that changes, a crawl takes nothing from this host (RFC 9309); it asks again later.";

function because({ unreachable, line, rule, group, source }: Tested): string[] {
  if (unreachable) return [source, UNREACHABLE];
  if (line !== null) return [`line ${line}: ${rule} (for ${group}, in ${source})`];
  return [group === null ? source : `no line matches (for ${group}, in ${source})`];
}
