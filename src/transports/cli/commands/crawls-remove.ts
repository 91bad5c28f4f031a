/** `trawl crawls rm <id…>`: deletes crawls with their data. */
import type { Command } from "commander";
import type { Crawls } from "../../../app/crawls/crawls.ts";
import { TrawlError } from "../../../errors.ts";
import { addJson, type Cli, crawlId, type JsonOption, withCrawls } from "../cli.ts";
import { confirmed } from "../confirm.ts";
import { addExamples } from "../help.ts";
import { startText } from "../output/crawl-name.ts";
import { counted } from "../output/numbers.ts";
import type { Terminal } from "../output/terminal.ts";

interface RemoveOptions extends JsonOption {
  yes?: true;
}

export function addRemoveCommand(crawlsCommand: Command, cli: Cli): void {
  const command = crawlsCommand
    .command("rm")
    .summary("delete crawls with their data")
    .description("Deletes crawls with all their data. Asks first.")
    .argument("<id...>", "the crawls")
    .option("--yes", "Do not ask.");
  addJson(command);
  addExamples(command, [
    ["trawl crawls rm 3 4", "asks, then deletes crawls 3 and 4"],
    ["trawl crawls rm 3 --yes", "does not ask"],
  ]);
  // --json may stand before `rm` as well as after it.
  command.action((ids: string[], _options: RemoveOptions, self: Command) =>
    withCrawls(cli, (crawls) => removeCrawls(cli.terminal, crawls, ids, self.optsWithGlobals())),
  );
}

async function removeCrawls(
  terminal: Terminal,
  crawls: Crawls,
  typed: string[],
  { yes, json }: RemoveOptions,
): Promise<void> {
  // All are looked up before the first is deleted: a wrong id, or one that is busy, deletes nothing.
  const ids = new Set(typed.map((id) => crawlId(crawls, id)));
  const records = [...ids].map((id) => crawls.get(id));
  for (const { id } of records) {
    if (crawls.isHeld(id)) throw new TrawlError("CRAWL_BUSY", `Another process is working on crawl ${id}.`);
  }
  if (!yes) {
    if (json || !terminal.canAsk) {
      throw new TrawlError("BAD_USAGE", "Nobody is there to be asked: add --yes to delete without a question.");
    }
    for (const record of records) {
      terminal.note(`crawl ${record.id}: ${startText(record)}, ${counted(record.crawled, "URL")} crawled`);
    }
    if (!(await confirmed(terminal, `Delete ${records.length === 1 ? "it" : "them"} with all data? [y/N] `))) {
      terminal.note("Nothing was deleted.");
      return;
    }
  }
  for (const { id } of records) crawls.remove(id);
  const removed = records.map(({ id }) => id);
  if (json) terminal.json({ removed });
  else terminal.lines([`Deleted ${removed.length === 1 ? "crawl" : "crawls"} ${removed.join(", ")}.`]);
}
