/**
 * `trawl atproto verify` and `repair`: checks that every block of the archive is whole, and salvages damaged segments.
 */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "commander";
import type { Damage, RepairResult, VerifyAllOptions, VerifyCounts } from "../../../../app/atproto/segments.ts";
import { type ErrorCode, TrawlError } from "../../../../errors.ts";
import { bytes, count, counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { liveLine } from "../../output/progress.ts";
import {
  addConnections,
  addInputDir,
  DamageTeller,
  damageLine,
  type InputOptions,
  namedSegments,
} from "./atproto-options.ts";

interface VerifyOptions extends InputOptions {
  proofs?: boolean;
  keys?: string;
}

const SUMS = ["bytes", "repos", "records", "provenRepos", "unprovableRepos", "problems"] as const;
const EVENT_SUMS = [
  "events",
  "signedCommits",
  "unsignedCommits",
  "provenChanges",
  "unprovenChanges",
  "problems",
] as const;
type Sums = Record<(typeof SUMS)[number] | (typeof EVENT_SUMS)[number], number> & {
  segments: number;
  unfinished: number;
  unproven: Record<string, number>;
};

export function addVerifyCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("verify")
    .summary("check every block: CRCs, index, JSON, proofs")
    .description(
      "Reads every segment to its last byte: both checksums of each block, the index against the blocks, and every record as " +
        "JSON. Where proofs (.rcx, `crawl --proofs`) are next to a segment, every record is checked against its CID, the tree " +
        "of each repo against its signed commit, and the signature against the account's key, as the crawl found it or as --keys gives it. What cannot be proven is listed. Of the events that `follow` recorded, every batch and the signature of every commit " +
        "are checked, and that their records, with those of the stored repo, form the tree that was signed last. Every problem is reported with its " +
        "position. Exit code 1 if there are problems.",
    )
    .argument("[segment-file...]", "only these (default: the whole archive)")
    .option("--proofs", "Require proofs for every segment; by default, those that exist are checked.")
    .option("--no-proofs", "Ignore proofs.");
  command.option("--keys <file>", "Signing keys to trust: a DID and a did:key on each line; a DID may have several.");
  addJson(addConnections(addInputDir(command)), "Print JSON lines: problems, each segment, totals last.");
  addExamples(command, [
    ["trawl atproto verify", "check all of ./rca"],
    ["trawl atproto verify rca/segment_0007.rca --proofs", "one segment, with its proofs"],
    ["trawl atproto verify --proofs --keys keys.txt", "with keys that you trust"],
    ["trawl atproto repair", "repair what can be repaired"],
  ]);
  command.action((named: string[], options: VerifyOptions) => verify(cli, named, options));
}

async function verify(cli: Cli, named: string[], options: VerifyOptions): Promise<void> {
  const { assertRecorded } = await import("../../../../app/atproto/events.ts");
  const { openSigningKeys, UNPROVEN, verifyEvents } = await import("../../../../app/atproto/segments.ts");
  if (named.length === 0) await assertRecorded(options.inputDir);
  const { terminal } = cli;
  const progress = liveLine(terminal, options.json === true);
  const stopping = new AbortController();
  const stopListening = listenForInterrupts(() => stopping.abort());
  const sums: Sums = {
    segments: 0,
    unfinished: 0,
    bytes: 0,
    repos: 0,
    records: 0,
    provenRepos: 0,
    unprovableRepos: 0,
    unproven: {},
    events: 0,
    signedCommits: 0,
    unsignedCommits: 0,
    provenChanges: 0,
    unprovenChanges: 0,
    problems: 0,
  };
  const onDamage = (damage: Damage): void => {
    if (options.json) terminal.json({ event: damage.torn ? "unfinished" : "problem", ...damage });
    else progress.say(damageLine(damage, terminal.style));
  };
  const onProgress = ({ path, repos, records }: VerifyCounts): void =>
    progress.show(
      () => `${path} · ${counted(sums.repos + repos, "repo")} · ${counted(sums.records + records, "record")}`,
    );
  try {
    const checking = { proofs: options.proofs, onDamage, onProgress, signal: stopping.signal };
    for await (const counts of verified(named, options, checking)) {
      sums.segments++;
      if (!counts.indexed && counts.path.endsWith(".partial")) sums.unfinished++;
      for (const name of SUMS) sums[name] += counts[name];
      for (const [reason, many] of Object.entries(counts.unproven)) {
        sums.unproven[reason] = (sums.unproven[reason] ?? 0) + many;
      }
      if (options.json) terminal.json({ event: "segment", ...counts });
    }
    if (named.length === 0) {
      using keys = openSigningKeys(options.inputDir, options.keys ?? null);
      const keysOf = (did: string) => keys.of(did);
      const counts = await verifyEvents(options.inputDir, { keysOf, onDamage, signal: stopping.signal });
      for (const name of EVENT_SUMS) sums[name] += counts[name];
    }
    progress.end();
    if (options.json) terminal.json({ event: "end", ...sums });
    else terminal.lines(sumLines(sums, UNPROVEN));
    if (sums.problems > 0) cli.exitCode = 1;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    progress.end();
    terminal.note("Not finished. Nothing was changed.");
    cli.exitCode = 3;
  } finally {
    stopListening();
  }
}

type Checking = Pick<VerifyAllOptions, "proofs" | "onDamage" | "onProgress" | "signal">;

/** Named segments, each with the keys next to it; otherwise all of the archive. */
async function* verified(named: string[], options: VerifyOptions, checking: Checking): AsyncGenerator<VerifyCounts> {
  const { openSigningKeys, verifyEverySegment, verifySegment } = await import("../../../../app/atproto/segments.ts");
  if (named.length === 0) {
    using keys = openSigningKeys(options.inputDir, options.keys ?? null);
    yield* verifyEverySegment(options.inputDir, { ...checking, keysOf: (did) => keys.of(did) });
    return;
  }
  for (const { path } of (await namedSegments(named, options.inputDir)).filter(({ kind }) => kind === "rca")) {
    using keys = openSigningKeys(dirname(path), options.keys ?? null);
    const proofs = checking.proofs ?? existsSync(path.replace(/\.rca(\.partial)?$/, ".rcx"));
    yield await verifySegment(path, { ...checking, proofs, keysOf: (did) => keys.of(did) });
  }
}

function sumLines(sums: Sums, reasons: Readonly<Record<string, string>>): string[] {
  const verdict = sums.problems === 0 ? "Everything is intact" : `${counted(sums.problems, "problem")}`;
  const held = `${counted(sums.segments, "segment")}, ${counted(sums.repos, "repo")}, ${counted(sums.records, "record")}, ${bytes(sums.bytes)}`;
  const lines = [`${verdict}: ${held}.`];
  if (sums.provenRepos > 0) lines.push(`  ${counted(sums.provenRepos, "repo")} proven by the account's signature`);
  for (const [reason, many] of Object.entries(sums.unproven)) {
    lines.push(`  ${counted(many, "repo")} not proven: ${reasons[reason] ?? reason}`);
  }
  if (sums.events > 0) lines.push(`  ${counted(sums.events, "recorded event")}${signatures(sums)}`);
  if (sums.provenChanges > 0)
    lines.push(`  ${counted(sums.provenChanges, "record")} in them proven by the signed tree`);
  if (sums.unprovenChanges > 0) {
    const reason = "the stored repo, its proof, or a commit in between is missing";
    lines.push(`  ${counted(sums.unprovenChanges, "record")} in them not proven: ${reason}`);
  }
  if (sums.problems > 0) lines.push("  `trawl atproto repair` keeps what is intact");
  if (sums.unfinished > 0)
    lines.push(`  ${counted(sums.unfinished, "unfinished segment")}: being written, or left by a crash`);
  return lines;
}

function signatures({ signedCommits, unsignedCommits }: Sums): string {
  const unsigned = unsignedCommits === 0 ? "" : `, ${count(unsignedCommits)} not, as no key is known for them`;
  return `: ${counted(signedCommits, "commit")} signed by the account's key${unsigned}`;
}

/** `trawl atproto repair`: finishes or salvages segments; no whole block is lost. */
export function addRepairCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("repair")
    .summary("finish interrupted segments and rescue damaged ones")
    .description(
      "Finishes segments that a crash left, cuts off a torn block at their end, and copies the whole blocks out of damaged ones; " +
        "the damaged file is kept as .damaged. A segment that a crawl is writing now is left alone. `crawl` " +
        "finishes its own segments when it starts: use this command for archives that are no longer crawled, and for damage.",
    )
    .argument("[segment-file...]", "only these (default: the whole archive)");
  addJson(addConnections(addInputDir(command)), "Print one line of JSON per segment.");
  addExamples(command, [
    ["trawl atproto repair", "all of ./rca"],
    ["trawl atproto repair rca/segment_0007.rca.partial", "one segment"],
  ]);
  command.action(async (named: string[], options: InputOptions) => {
    const { repairSegment } = await import("../../../../app/atproto/segments.ts");
    const { terminal } = cli;
    const damage = new DamageTeller(cli, options);
    // Proofs first, as when a segment is finished: a segment is never without its proofs.
    const segments = (await namedSegments(named, options.inputDir)).sort((a, b) => (a.kind > b.kind ? -1 : 1));
    let repaired = 0;
    let hopeless = 0;
    for (const { path, kind } of segments) {
      try {
        const result = await repairSegment(path, damage.tell, kind);
        if (result.action !== "whole") repaired++;
        if (options.json) terminal.json({ event: "segment", from: path, ...result });
        else if (result.action !== "whole") terminal.lines([resultLine(path, result)]);
      } catch (error) {
        const left = error instanceof TrawlError && named.length === 0 ? LEFT_ALONE[error.code] : undefined;
        if (left === undefined) throw error;
        if (left.action === "hopeless") hopeless++;
        if (options.json) terminal.json({ event: "segment", from: path, action: left.action });
        else terminal.lines([`${path}: ${left.text}`]);
      }
    }
    if (hopeless > 0) cli.exitCode = 1;
    else if (!options.json && repaired === 0) terminal.lines(["Nothing needed repair."]);
  });
}

/** Errors about one segment, after which the others are still repaired. */
const LEFT_ALONE: Partial<Record<ErrorCode, { action: "busy" | "hopeless"; text: string }>> = {
  SEGMENT_BUSY: { action: "busy", text: "being written now, left alone" },
  NOT_A_SEGMENT: { action: "hopeless", text: "has no intact repo, left as it is" },
};

function resultLine(from: string, { action, path, repos, kept }: RepairResult): string {
  if (action === "removed") return `${from}: removed, it had no intact repo`;
  const done = action === "finished" ? "finished" : "its intact repos copied";
  return `${path}: ${done}, ${counted(repos, "repo")}${kept === null ? "" : `; the damaged file is ${kept}`}`;
}
