/** `trawl archive validate-policy <url…>`: whether URLs would be archived, and the rule that decides. */
import type { Command } from "commander";
import type { PolicyAnswer } from "../../../../app/archive/look.ts";
import { clean } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { wrap } from "../../output/table.ts";
import {
  addReach,
  addWorkspace,
  openTyped,
  type ReachOptions,
  readReach,
  type WorkspaceOptions,
} from "./archive-options.ts";

interface ValidateOptions extends WorkspaceOptions, ReachOptions {
  robots: boolean;
}

export function addValidatePolicyCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("validate-policy")
    .summary("show whether URLs would be archived, and by which rule")
    .description(
      "Shows for each URL its canonical form, whether it would be archived, and the rule that decides. The robots.txt of an " +
        "allowed host is fetched. Caps and depth depend on the run and are not checked.",
    )
    .argument("<url...>", "the URLs")
    .option("--no-robots", "Ignore robots.txt; makes no request.");
  addReach(addWorkspace(command));
  addJson(command, "Print one JSON line per URL.");
  addExamples(command, [
    ["trawl archive validate-policy https://github.com/nodejs/node", "checks robots.txt too"],
    ["trawl archive validate-policy --no-robots $(cat workspace/seeds.txt)", "without any request"],
  ]);
  command.action(async (urls: string[], options: ValidateOptions) => {
    const { validatePolicy } = await import("../../../../app/archive/look.ts");
    const { meaning } = await import("./end.ts");
    const { settings } = await openTyped(options);
    const reach = await readReach(options);
    const answers = await validatePolicy(urls, { settings, reach, askRobots: options.robots });
    if (options.json) for (const answer of answers) cli.terminal.json({ ...answer, pageType: answer.page_type });
    else cli.terminal.lines(answers.flatMap((answer) => answerLines(cli, answer, meaning)));
  });
}

function answerLines({ terminal }: Cli, answer: PolicyAnswer, meaning: (reason: string) => string): string[] {
  const { good, bad, dim } = terminal.style;
  const { verdict, url, written, reason, rule, page_type: type, repo } = answer;
  const why =
    reason === null
      ? [`page type ${type || "other"}${repo === null ? "" : `, of ${repo}`}`]
      : [
          url === null ? "This is not a URL that can be archived." : `${reason}: ${meaning(reason)}`,
          ...(rule === null ? [] : [`rule: ${rule}`]),
        ];
  return [
    `${verdict === "crawl" ? good("archive") : bad("refuse ")}  ${clean(url ?? written)}`,
    ...why.flatMap((text) => wrap(clean(text), terminal.proseWidth - 4)).map((line) => `    ${dim(line)}`),
  ];
}
