/** `trawl archive search <words…>`: finds words in the stored pages. */
import { type Command, InvalidArgumentError } from "commander";
import type { Match, SearchAnswer } from "../../../../app/archive/look.ts";
import { clean, count, counted, moment } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { liveLine } from "../../output/progress.ts";
import { wrap } from "../../output/table.ts";
import type { Terminal } from "../../output/terminal.ts";
import { addWorkspace, openTyped, type WorkspaceOptions } from "./archive-options.ts";

interface SearchOptions extends WorkspaceOptions {
  limit: number;
  update: boolean;
  rebuild?: true;
}

export function addSearchCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("search")
    .summary("find words in the stored pages")
    .description(
      "Finds pages that have all of the words, best first. Put a phrase in double quotes, * after the beginning of a word, and - " +
        "before a word that pages must not contain. An index next to the store is updated first; you can delete it at any time.",
    )
    .argument("<words...>", "what to look for")
    .option("-n, --limit <n>", "How many pages to show.", readLimit, 20)
    .option("--no-update", "Search the index as it is, without reading new pages.")
    .option("--rebuild", "Rebuild the index from the store.");
  addJson(addWorkspace(command), "Print the pages and the state of the index as JSON.");
  addExamples(command, [
    ["trawl archive search memory leak", "pages with both words"],
    [`trawl archive search '"use after free" -fixed'`, "a phrase, without a word"],
    ["trawl archive search segfault --json | jq -r '.rows[].url'", "their URLs"],
  ]);
  command.action(async (words: string[], options: SearchOptions) => {
    const { matchRow, searchArchive } = await import("../../../../app/archive/look.ts");
    const { terminal } = cli;
    const workspace = await openTyped(options);
    const progress = liveLine(terminal, options.json === true);
    const answer = await searchArchive(workspace, words.join(" "), {
      limit: options.limit,
      update: options.rebuild ? "rebuild" : options.update ? "yes" : "no",
      onProgress: (pages) => progress.show(() => `${counted(pages, "page")} indexed`),
    });
    progress.end();
    if (options.json) {
      const matches = answer.matches.map(plainMatch);
      // `matches` is gone in version 0.3.
      terminal.json({ ...answer, rows: matches.map(matchRow), next: null, indexedPages: answer.index.pages, matches });
    } else terminal.lines(answerLines(terminal, answer));
  });
}

function readLimit(value: string): number {
  const limit = Number(value);
  if (!/^\d+$/.test(value) || limit < 1 || limit > 10_000) throw new InvalidArgumentError("It must be 1 to 10000.");
  return limit;
}

/** Without the marks around the words. */
const plainMatch = (match: Match): Match => ({ ...match, snippet: match.snippet.replace(/[\u0001\u0002]/g, "") });

export function answerLines(terminal: Terminal, { total, matches, index }: SearchAnswer): string[] {
  const { style, proseWidth } = terminal;
  const shown = matches.length < total ? `, the best ${count(matches.length)} below` : "";
  const upTo = index.upTo === null ? "" : `, up to ${moment(index.upTo * 1_000)}`;
  const behind = index.behind === 0 ? "" : `; ${counted(index.behind, "newer fetch", "newer fetches")} not in it yet`;
  return [
    ...matches.flatMap((match) => [
      style.bold(clean(match.title || match.url)),
      `  ${clean(match.url)}`,
      ...wrap(clean(plainMatch(match).snippet), proseWidth - 2).map((line) => `  ${style.dim(line)}`),
      "",
    ]),
    `${counted(total, "page")} found${shown}. The index has ${counted(index.pages, "page")}${upTo}${behind}.`,
  ];
}
