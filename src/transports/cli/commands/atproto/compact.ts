/** `trawl atproto compact` and `forget`: drops blocks that were replaced, or everything of one account. */
import type { Command } from "commander";
import type { RewriteResult } from "../../../../app/atproto/events.ts";
import type { CompactResult } from "../../../../app/atproto/segments.ts";
import { TrawlError } from "../../../../errors.ts";
import { bytes, clean, counted } from "../../../texts.ts";
import { addJson, type Cli, confirmed } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { liveLine } from "../../output/progress.ts";
import {
  addChdb,
  addConnections,
  addInputDir,
  addState,
  DamageTeller,
  type InputOptions,
  openTarget,
  type StateOptions,
  stateConfig,
  type TargetOptions,
  targetName,
} from "./atproto-options.ts";

/** The size that `crawl` uses by default. */
const SEGMENT_BYTES = 2 * 1024 ** 3;

export function addCompactCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("compact")
    .summary("drop what a later crawl or event replaced")
    .description(
      "Rewrites segments without the blocks that a later crawl of the same account replaced, and deletes the old files. The archive can be read, and " +
        "crawled into, meanwhile: only finished segments are touched, and new blocks are on the disk before old ones go. An interrupted compaction " +
        "loses nothing; run it again. It needs room for one segment. Segments with damaged blocks are left alone (exit code 1): `repair` them first. Of the " +
        "events that `follow` recorded, it drops commits that a fetched repo includes, and records that were changed or deleted later. While " +
        "`follow` is running, the segment that it writes is left alone.",
    );
  addJson(addConnections(addInputDir(command)));
  addExamples(command, [
    ["trawl atproto compact", "./rca"],
    ["trawl atproto compact -i /data/rca --json", "what it saved, as JSON"],
  ]);
  command.action(async (options: InputOptions) => {
    const { compactArchive } = await import("../../../../app/atproto/segments.ts");
    const { assertRecorded, compactEvents } = await import("../../../../app/atproto/events.ts");
    const { terminal } = cli;
    await assertRecorded(options.inputDir);
    const damage = new DamageTeller(cli, options);
    const progress = liveLine(terminal, options.json === true);
    const stopping = new AbortController();
    const stopListening = listenForInterrupts(() => stopping.abort());
    try {
      const result = await compactArchive({
        folder: options.inputDir,
        targetBytes: SEGMENT_BYTES,
        now: () => Date.now(),
        onDamage: damage.tell,
        onSegment: (path) => progress.show(() => path),
        signal: stopping.signal,
      });
      const events = await compactEvents({
        folder: options.inputDir,
        onDamage: damage.tell,
        signal: stopping.signal,
      });
      progress.end();
      if (options.json) terminal.json({ ...result, events });
      else terminal.lines([...resultLines(result, "Nothing to drop."), ...eventLines(events)]);
      if (result.damaged.length + (events?.damaged.length ?? 0) > 0) cli.exitCode = 1;
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
      progress.end();
      terminal.note("Not finished. Nothing is lost; run it again.");
      cli.exitCode = 3;
    } finally {
      stopListening();
    }
  });
}

export function addForgetCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("forget")
    .summary("erase one account from the archive")
    .description(
      "Erases an account: its blocks and proofs in all segments, its events and what was derived from them, its entries in the catalogue and the " +
        "state, its DID document, and the records that `query` has loaded. With --clickhouse-address or --chdb, also the rows that `replay` loaded " +
        "there. Refuses while `crawl` or `follow` is running. Not touched: files that `repair` kept as .damaged, which are named if the account is in " +
        "them (exit code 1), and exports. A later crawl stores the account again if its source still lists it. Asks first.",
    )
    .argument("<did>", "such as did:plc:ewvi7nxzyoun6zhxrhs64oiz")
    .option("--yes", "Do not ask.");
  addJson(addState(addChdb(command), "clickhouse"));
  addExamples(command, [
    ["trawl atproto forget did:plc:ewvi7nxzyoun6zhxrhs64oiz", "asks, then erases it from ./rca"],
    ["trawl atproto forget did:web:example.com --output-dir /data/rca --yes", "does not ask"],
    ["trawl atproto forget did:web:example.com --clickhouse-address db:8123", "in ClickHouse too"],
  ]);
  command.action(async (did: string, options: StateOptions & TargetOptions & { yes?: true }) => {
    const { isDid } = await import("../../../../app/atproto/segments.ts");
    const { assertArchive, forgetAccount } = await import("../../../../app/atproto/state.ts");
    const { terminal } = cli;
    if (!isDid(did)) throw new TrawlError("BAD_USAGE", `${clean(did)} is not a DID such as did:plc:….`);
    await assertArchive(options.outputDir);
    if (!options.yes) {
      if (options.json || !terminal.canAsk)
        throw new TrawlError("BAD_USAGE", "There is no terminal to ask on; pass --yes to erase without asking.");
      if (!(await confirmed(terminal, `Erase ${clean(did)} from ${placesOf(options).join(" and ")}? [y/N] `))) {
        terminal.note("Nothing was erased.");
        return;
      }
    }
    const damage = new DamageTeller(cli, options);
    const result = await forgetAccount(stateConfig(options), did, {
      targetBytes: SEGMENT_BYTES,
      now: () => Date.now(),
      onDamage: damage.tell,
    });
    const loadedRecords = hasTarget(options) ? await forgetLoaded(options, did) : null;
    if (options.json) terminal.json({ did, ...result, loadedRecords });
    else {
      const lines = resultLines(result, `The segments have nothing of ${clean(did)}.`);
      const loaded =
        loadedRecords === null ? [] : [`Deleted ${counted(loadedRecords, "row")} of ${targetName(options)}.`];
      const kept = result.kept.map((path) => `${clean(path)}, which \`repair\` kept, still has it: delete this file.`);
      terminal.lines([...lines, ...eventLines(result.events), ...loaded, ...kept]);
    }
    if (result.damaged.length + (result.events?.damaged.length ?? 0) + result.kept.length > 0) cli.exitCode = 1;
  });
}

const hasTarget = ({ chdb, clickhouseAddress }: TargetOptions): boolean => (chdb ?? clickhouseAddress) !== undefined;

const placesOf = (options: StateOptions & TargetOptions): string[] => [
  options.outputDir,
  ...(hasTarget(options) ? [targetName(options)] : []),
];

async function forgetLoaded(options: TargetOptions, did: string): Promise<number> {
  const { forgetRows } = await import("../../../../app/atproto/database.ts");
  await using target = await openTarget(options);
  return forgetRows(target, did);
}

function resultLines(
  { segments, droppedBlocks, bytesBefore, bytesAfter, damaged }: CompactResult,
  nothing: string,
): string[] {
  const lines =
    segments === 0
      ? [nothing]
      : [
          `Dropped ${counted(droppedBlocks, "block")}: ${counted(segments, "segment")} went from ${bytes(bytesBefore)} to ${bytes(bytesAfter)} (records).`,
        ];
  if (damaged.length > 0)
    lines.push(`${counted(damaged.length, "segment")} left alone because of damage; \`trawl atproto repair\` first.`);
  return lines;
}

function eventLines(result: RewriteResult | null): string[] {
  if (result === null) return [];
  const { segments, droppedEvents, droppedOps, bytesBefore, bytesAfter, damaged } = result;
  const lines: string[] = [];
  if (segments > 0) {
    const dropped = `${counted(droppedEvents, "event")} and ${counted(droppedOps, "operation")}`;
    const sizes = `${counted(segments, "event segment")} went from ${bytes(bytesBefore)} to ${bytes(bytesAfter)}`;
    lines.push(`Dropped ${dropped}: ${sizes}.`);
  }
  if (damaged.length > 0) {
    lines.push(`${counted(damaged.length, "event segment")} left alone because of damage: ${damaged.join(", ")}`);
  }
  return lines;
}
