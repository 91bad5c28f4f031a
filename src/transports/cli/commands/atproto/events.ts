/** `trawl atproto events [did]`: what `follow` recorded, one line each. */
import { type Command, Option } from "commander";
import type { ListedEvent } from "../../../../app/atproto/events.ts";
import { TrawlError } from "../../../../errors.ts";
import { clean } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addConnections, addInputDir, DamageTeller, type InputOptions } from "./atproto-options.ts";

interface EventsOptions extends InputOptions {
  collection?: string;
  recordJson: "seed" | "lossless";
  inactive?: true;
}

export function addEventsCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("events")
    .summary("print what `follow` recorded")
    .description(
      "Prints the recorded events in the order in which they came, with the time at which each was first seen: one line per operation, or " +
        "with --json one object per event with its records. What accounts that were taken down, suspended, deactivated or deleted " +
        "wrote is left out unless --inactive is given.",
    )
    .argument("[did]", "only this account")
    .option("--collection <name>", "Only operations on this collection, such as app.bsky.feed.post.")
    .option("--inactive", "Include what accounts wrote that are no longer active.")
    .addOption(
      new Option("--record-json <form>", "JSON of records, as for `crawl`.")
        .choices(["seed", "lossless"])
        .default("seed", "seed"),
    );
  addJson(addConnections(addInputDir(command)), "Print one line of JSON per event, with its records.");
  addExamples(command, [
    ["trawl atproto events did:plc:ewvi7nxzyoun6zhxrhs64oiz", "what an account has done since you began to follow"],
    ["trawl atproto events --collection app.bsky.feed.post --json", "all new posts"],
  ]);
  command.action(async (did: string | undefined, options: EventsOptions) => {
    const { eventSegments, listEvents } = await import("../../../../app/atproto/events.ts");
    const { terminal } = cli;
    const damage = new DamageTeller(cli, options);
    const { inputDir: folder, collection, recordJson: json } = options;
    const inactive = options.inactive === true;
    if ((await eventSegments(folder)).length === 0) {
      throw new TrawlError("NO_SEGMENTS", `${folder} has no recorded events.`, {
        hint: "Pass the folder that `trawl atproto follow --output-dir` wrote to.",
      });
    }
    for await (const event of listEvents({ folder, did, collection, json, inactive, onDamage: damage.tell })) {
      if (options.json) terminal.json(event);
      else terminal.lines(linesOf(event));
    }
    if (damage.count > 0) cli.exitCode = 1;
  });
}

function linesOf({ kind, seenAt, did, ops, ...more }: ListedEvent): string[] {
  const who = clean(did ?? "");
  if (Array.isArray(ops)) {
    return (ops as { action: string; collection: string; rkey: string }[]).map(
      ({ action, collection, rkey }) => `${seenAt}  ${who}  ${action} ${clean(collection)}/${clean(rkey)}`,
    );
  }
  const word = more["handle"] ?? more["status"] ?? more["reason"] ?? more["rev"] ?? "";
  return [`${seenAt}  ${who}  ${kind} ${clean(String(word))}`.trimEnd()];
}
