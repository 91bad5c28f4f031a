/** `trawl issues` and `trawl audit`: what is wrong with a site, where, and how to fix it. */
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import {
  auditCrawl,
  type FindingsAnswer,
  type IssueAnswer,
  listFindings,
  listIssues,
} from "../../../app/operations/issues.ts";
import { ask } from "../../../app/operations/operation.ts";
import { clean, count, counted } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addFieldDataOptions, type FieldDataOptions, fieldDataAsked } from "../field-data-options.ts";
import { addExamples } from "../help.ts";
import { CRAWL_ARGUMENT, crawlId } from "../named.ts";
import { crawlAndRule } from "../named-rule.ts";
import { issueLines, issueTotals } from "../output/issues.ts";
import { wrap } from "../output/table.ts";
import { readLimit } from "../selection.ts";

interface IssuesOptions extends JsonOption {
  limit: number;
  cursor?: string;
  passed?: true;
}

export function addIssuesCommand(program: Command, cli: Cli): void {
  const command = program
    .command("issues")
    .description(
      "Shows what the audit found: the issues of a crawl, worst first; or, for one rule, why it matters, how to fix it, " +
        "and every affected URL with the evidence and who links to it.",
    )
    .argument("[id]", CRAWL_ARGUMENT)
    .argument("[rule]", "a rule, such as title.missing")
    .option("--passed", "List the rules that found nothing, too.")
    .option("--limit <n>", "Maximum number of URLs to show.", readLimit, 20)
    .option("--cursor <text>", "Continue where the previous page ended.");
  addJson(command);
  addExamples(command, [
    ["trawl issues last", "what is wrong, worst first"],
    ["trawl issues link.broken_internal", "every page with broken links, and the links"],
    ["trawl issues 12 title.duplicate --limit 100 --json", "for a script"],
  ]);
  command.action((first: string | undefined, second: string | undefined, options: IssuesOptions) =>
    withApp(cli, async (app) => {
      const { crawl, rule } = crawlAndRule(first, second);
      const id = crawlId(app, crawl);
      if (rule === undefined) await showIssues(cli, app, id, options);
      else await showFindings(cli, app, { id, rule }, options);
    }),
  );
}

/** `trawl audit [id]`: audits a crawl again, without a request to its site. */
export function addAuditCommand(program: Command, cli: Cli): void {
  const command = program
    .command("audit")
    .description(
      "Judges a finished crawl by the audit rules again, without fetching anything of the site: after an update of Trawl, with other " +
        "thresholds, or with a key for what Google measured.",
    )
    .argument("[id]", CRAWL_ARGUMENT)
    .option("--thresholds <list>", "NAME=NUMBER, separated by commas; by default those of the crawl.", commaList)
    .option(
      "--ignore-rules <list>",
      "Rules to leave out, separated by commas; by default those of the crawl.",
      commaList,
    );
  addFieldDataOptions(command);
  addJson(command);
  addExamples(command, [
    ["trawl audit 12", "with the settings of the crawl"],
    ["trawl audit last --crux 100 --crux-key-file key.txt", "with the page speed that visitors experienced"],
    ["trawl audit last --thresholds titleMaxChars=70 --ignore-rules desc", "with others"],
  ]);
  command.action((typed: string, { json, thresholds, ignoreRules, ...fieldData }: AuditOptions) =>
    withApp(cli, async (app) => {
      const id = crawlId(app, typed);
      const given = { thresholds: thresholds ?? null, ignoreRules: ignoreRules ?? null };
      const answer = await ask(app, auditCrawl, { id, ...given, ...fieldDataAsked(fieldData, cli) });
      if (json) cli.terminal.json(answer);
      else printIssues(cli, id, answer, false);
    }),
  );
}

interface AuditOptions extends JsonOption, FieldDataOptions {
  thresholds?: string[];
  ignoreRules?: string[];
}

const commaList = (value: string): string[] =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

async function showIssues(cli: Cli, app: App, id: number, { json, passed }: IssuesOptions): Promise<void> {
  const answer = await ask(app, listIssues, { id });
  if (json) cli.terminal.json(answer);
  else printIssues(cli, id, answer, passed === true);
}

function printIssues({ terminal }: Cli, id: number, answer: IssueAnswer, withPassed: boolean): void {
  const { style, width, proseWidth } = terminal;
  if (answer.auditedAt === null) {
    terminal.lines([`Crawl ${id} was not audited yet; \`trawl audit ${id}\` does that.`]);
    return;
  }
  const { rows: issues, passed, notApplicable } = answer;
  const rest = `${counted(passed.length, "rule")} found nothing; ${counted(notApplicable.length, "rule")} did not apply.`;
  terminal.lines([
    `${style.bold(`Crawl ${id}`)}: ${issueTotals(answer)}`,
    ...issueLines(issues, style, width),
    ...(withPassed ? ["", style.bold("Passed"), ...issueLines(passed, style, width)] : []),
    "",
    ...wrap(`${rest} Score: ${answer.formula}`, proseWidth).map(style.dim),
  ]);
}

async function showFindings(
  { terminal }: Cli,
  app: App,
  asked: { id: number; rule: string },
  { json, limit, cursor }: IssuesOptions,
): Promise<void> {
  const answer = await ask(app, listFindings, { ...asked, limit, cursor: cursor ?? null });
  if (json) {
    terminal.json(answer);
    return;
  }
  const { style, proseWidth } = terminal;
  terminal.lines([
    `${style.bold(answer.name)} (${answer.rule}): ${answer.severity}, ${answer.priority} priority, ${counted(answer.total, "URL")}`,
    ...wrap(`${answer.why} ${answer.fix}`, proseWidth),
    style.dim(answer.link),
    ...answer.rows.flatMap((row) => ["", ...findingLines(row).map((line) => `  ${line}`)]),
  ]);
  const more = answer.next === null ? "" : `; for the next, add --cursor ${answer.next}`;
  terminal.note(terminal.errorStyle.dim(`${count(answer.rows.length)} of ${counted(answer.total, "URL")}${more}`));
}

function findingLines({ url, evidence, linkedFrom, inlinks }: FindingsAnswer["rows"][number]): string[] {
  const from = linkedFrom.map(
    ({ url: source, text }) => `  linked from ${clean(source)}${text === "" ? "" : ` (“${clean(text)}”)`}`,
  );
  const rest = inlinks - linkedFrom.length;
  return [
    clean(url),
    ...(evidence === null ? [] : evidence.split("\n").map((line) => `  ${clean(line)}`)),
    ...from,
    ...(from.length > 0 && rest > 0 ? [`  and by ${counted(rest, "more link")}`] : []),
  ];
}
