/** `trawl archive failures`: the URLs whose last fetch failed. */
import type { Command } from "commander";
import type { Failure } from "../../../../app/archive/look.ts";
import { clean, codeWords, count, counted, moment } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { stepLines } from "../../output/summary.ts";
import { table } from "../../output/table.ts";
import { addWorkspace, openTyped, sameArchive, type WorkspaceOptions } from "./archive-options.ts";
import { addChoice, type ChoiceOptions, chosenFlags, readChoice } from "./choice-options.ts";

export function addFailuresCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("failures")
    .summary("list the URLs that could not be fetched")
    .description(
      "Lists the URLs whose last fetch failed: no answer, an error status, or a page that was cut. A page that is gone (404, 410) " +
        "is listed only if you pass that status. Works during a run too.",
    );
  addJson(addChoice(addWorkspace(command)));
  addExamples(command, [
    ["trawl archive failures", "all of them"],
    ["trawl archive failures --status 5xx --older 1d", "server errors older than a day"],
    ["trawl archive failures --json | jq -r .rows[].url", "only the URLs"],
    ["trawl archive run --retry-failed", "requests them again"],
  ]);
  command.action(async (options: WorkspaceOptions & ChoiceOptions) => {
    const { chooser, failureRow, failuresPath, readFailures } = await import("../../../../app/archive/look.ts");
    const workspace = await openTyped(options);
    const choice = { ...(await readChoice(options, workspace, Date.now())), failed: true };
    const failures = await readFailures(workspace.paths.metadata, chooser(choice));
    const { terminal, env } = cli;
    if (options.json) {
      const file = failuresPath(workspace.paths.ledger);
      // `count` and `failures` are gone in version 0.3.
      terminal.json({
        total: failures.length,
        rows: failures.map(failureRow),
        next: null,
        file,
        count: failures.length,
        failures,
      });
      return;
    }
    if (failures.length === 0) {
      terminal.lines(["No URL has failed."]);
      return;
    }
    const { style, width } = terminal;
    terminal.lines([
      ...table({ columns: COLUMNS, rows: failures.map(row), width, heading: style.dim }),
      "",
      `${counted(failures.length, "URL")} could not be fetched.`,
      "",
      style.bold("Next"),
      ...stepLines(
        [[`archive run --retry-failed${chosenFlags(options)}${sameArchive(options)}`, "requests them again"]],
        style,
        env,
      ),
    ]);
  });
}

const COLUMNS = [
  { title: "answer" },
  { title: "when" },
  { title: "retries", align: "right" as const, optional: true },
  { title: "type", optional: true },
  { title: "url", least: 30 },
];

const row = ({ url, http_status, error, page_type, retries, timestamp }: Failure): string[] => [
  answerText(http_status, error),
  moment(timestamp * 1_000),
  count(retries),
  clean(page_type) || "other",
  clean(url),
];

/** What came instead of the page: the error in words, or the status. */
export const answerText = (status: number | null, error: string | null): string =>
  error === null ? (status === null ? "failed" : status === 0 ? "no answer" : String(status)) : clean(codeWords(error));
