/** `trawl report`, `trawl sitemap` and `trawl accept`: an audit's findings as files, sitemaps of a crawl, and findings to accept or ignore. */
import { type Command, Option } from "commander";
import {
  type AcceptancesAnswer,
  acceptFindings,
  listAcceptances,
  removeAcceptance,
} from "../../../app/operations/issues.ts";
import { ask } from "../../../app/operations/operation.ts";
import { writeSitemaps } from "../../../app/report/sitemap-files.ts";
import { TrawlError } from "../../../errors.ts";
import { clean, counted } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { CRAWL_ARGUMENT, crawlId } from "../named.ts";
import { crawlAndRule } from "../named-rule.ts";
import { addReportOptions, type ReportFiles, writeReports } from "../report-files.ts";

interface ReportOptions extends JsonOption, Omit<ReportFiles, "html"> {
  output?: string;
}

export function addReportCommand(program: Command, cli: Cli): void {
  const command = program
    .command("report")
    .description(
      "Writes what a crawl's audit found as one HTML file with charts that you can send, print and open anywhere; " +
        "and as PDF (with Chromium), SARIF, JUnit XML or Markdown if you name files for them.",
    )
    .argument("[id]", CRAWL_ARGUMENT)
    .option("-o, --output <file>", "The HTML file (default: trawl-report-ID.html, unless another form is asked for).")
    .option("--pdf <file>", "Print the report as PDF; needs Chromium, Chrome or Edge.");
  addReportOptions(command);
  addJson(command);
  addExamples(command, [
    ["trawl report last -o report.html", "a report for people"],
    ["trawl report last --pdf report.pdf", "the same, printed"],
    ["trawl report last --sarif trawl.sarif --markdown summary.md", "for CI"],
  ]);
  command.action((typed: string | undefined, { output, json, ...files }: ReportOptions) =>
    withApp(cli, async (app) => {
      const id = crawlId(app, typed);
      checkIsHtml(output);
      const isOther = Object.values(files).some((file) => file !== undefined);
      const html = output ?? (isOther ? undefined : `trawl-report-${id}.html`);
      const written = await writeReports(app, id, { ...files, html });
      if (json) cli.terminal.json({ id, files: written });
      else cli.terminal.lines(written.map((file) => `Wrote ${clean(file)}`));
    }),
  );
}

/** A report for people under the name of another form would be opened by the wrong program. */
function checkIsHtml(output = ""): void {
  const [form] = Object.entries(OTHER_FORMS).find(([, ending]) => ending.test(output)) ?? [];
  if (form === undefined) return;
  throw new TrawlError("BAD_USAGE", "--output writes HTML.", {
    hint: `For this file: \`--${form} ${clean(output)}\`.`,
  });
}

const OTHER_FORMS: Record<keyof Omit<ReportFiles, "html">, RegExp> = {
  pdf: /\.pdf$/i,
  sarif: /\.(sarif|json)$/i,
  junit: /\.xml$/i,
  markdown: /\.(md|markdown)$/i,
};

export function addSitemapCommand(program: Command, cli: Cli): void {
  const command = program
    .command("sitemap")
    .description(
      "Writes a sitemap of the indexable pages of a crawl. With more than 50,000 pages it becomes several files and an index.",
    )
    .argument("[id]", CRAWL_ARGUMENT)
    .option("-o, --output <file>", "The file to write.", "sitemap.xml");
  addJson(command);
  addExamples(command, [["trawl sitemap last -o public/sitemap.xml", "the pages that search engines may list"]]);
  command.action((typed: string | undefined, { output, json }: JsonOption & { output: string }) =>
    withApp(cli, async (app) => {
      const id = crawlId(app, typed);
      const reader = app.crawls.read(id);
      try {
        const origin = app.crawls.get(id).startUrls[0]!;
        const written = await writeSitemaps(reader, output, origin);
        if (json) cli.terminal.json({ id, ...written });
        else {
          cli.terminal.lines(written.files.map((file) => `Wrote ${clean(file)}`));
          cli.terminal.note(`${counted(written.urls, "indexable page")}`);
        }
      } finally {
        reader.close();
      }
    }),
  );
}

interface AcceptOptions extends JsonOption {
  url?: string;
  evidence?: string;
  pattern?: string;
  all?: true;
  ignore?: true;
  reason?: string;
  until?: string;
  remove?: string;
}

export function addAcceptCommand(program: Command, cli: Cli): void {
  const command = program
    .command("accept")
    .description(
      "Accepts findings that stay for now, or ignores those that are not a problem: one, all at matching URLs, or a whole " +
        "rule. They no longer count for --fail-on. Without a rule, lists what was accepted. The list is one YAML file per " +
        "project; the setting acceptedFindings can put it into your repository.",
    )
    .argument("[id]", CRAWL_ARGUMENT)
    .argument("[rule]", "a rule, such as title.missing")
    .option("--url <url>", "One finding: its URL.")
    .option("--evidence <text>", "Its evidence, where a URL can have several findings over time.")
    .option("--pattern <pattern>", "All findings at URLs that match this pattern, written as in --exclude.")
    .option("--all", "Every finding of the rule.")
    .option("--ignore", "Ignore the findings: they do not lower the score.")
    .option("--reason <text>", "Why; required.")
    .addOption(new Option("--until <day>", "The last day on which it applies, such as 2027-01-31."))
    .option("--remove <key>", "Remove an entry, by the key that the list shows.");
  addJson(command);
  addExamples(command, [
    ["trawl accept last", "what was accepted or ignored"],
    ['trawl accept 12 title.too_long --pattern "/blog/*" --reason "old posts"', "a pattern"],
    ['trawl accept last url.underscore --all --ignore --reason "our style"', "a whole rule"],
  ]);
  command.action((first: string | undefined, second: string | undefined, options: AcceptOptions) =>
    withApp(cli, async (app) => {
      const { crawl, rule } = crawlAndRule(first, second);
      const id = crawlId(app, crawl);
      const answer =
        options.remove !== undefined
          ? await ask(app, removeAcceptance, { id, key: options.remove })
          : rule === undefined
            ? await ask(app, listAcceptances, { id })
            : await ask(app, acceptFindings, { id, rule, ...accepted(options) });
      if (options.json) cli.terminal.json(answer);
      else print(cli, answer);
    }),
  );
}

function accepted({ url, evidence, pattern, all, ignore, reason, until }: AcceptOptions) {
  if ([url, pattern, all].filter((given) => given !== undefined).length !== 1) {
    throw new TrawlError("BAD_USAGE", "Choose the findings with one of --url, --pattern and --all.");
  }
  if (reason === undefined) throw new TrawlError("BAD_USAGE", "A reason is required: --reason.");
  return {
    action: ignore ? ("ignore" as const) : ("accept" as const),
    ...{ url: url ?? null, evidence: evidence ?? null, pattern: pattern ?? null },
    ...{ reason, until: until ?? null },
  };
}

function print({ terminal }: Cli, { file, rows }: AcceptancesAnswer): void {
  const { style } = terminal;
  terminal.lines(
    rows.map(({ key, action, rule, url, pattern, reason, until, isActive }) => {
      const where = url ?? pattern ?? "all";
      const end = until === null ? "" : isActive ? ` until ${until}` : ` (ended ${until})`;
      return clean(`${action} ${rule} ${where}${end}: ${reason} ${style.dim(key)}`);
    }),
  );
  terminal.note(terminal.errorStyle.dim(`${counted(rows.length, "entry", "entries")} in ${file}`));
}
