/** `trawl atproto verify`: checks that every block of the archive is whole, and what it was when it was crawled. */
import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import type { Damage, VerifyCounts } from "../../../../app/atproto/segments.ts";
import { TrawlError } from "../../../../errors.ts";
import { count, counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { liveLine } from "../../output/live-line.ts";
import { bytes } from "../../output/numbers.ts";
import { addConnections } from "./connection-options.ts";
import { addInputDir, damageLine, type InputOptions } from "./folder-option.ts";
import { namedSegments } from "./segments.ts";

interface VerifyOptions extends InputOptions {
  proofs?: boolean;
}

const SUMS = ["bytes", "repos", "records", "provenRepos", "unprovableRepos", "problems"] as const;
const UNREADABLE = new Set<string>(["NOT_A_SEGMENT", "FILE_NOT_READABLE"]);
type Sums = Record<(typeof SUMS)[number], number> & { segments: number; unfinished: number };

export function addVerifyCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("verify")
    .summary("check every block: CRCs, index, JSON, proofs")
    .description(
      "Reads every segment to its last byte: both checksums of each block, the index against the blocks, and every record as " +
        "JSON. Where proofs (.rcx, `crawl --proofs`) are beside a segment, the tree of each repo is computed again and compared " +
        "with its signed commit. Every problem is reported with its place. Exit code 1 when there is one.",
    )
    .argument("[segment-file...]", "only these; without one, the whole archive")
    .addOption(new Option("--proofs").hideHelp())
    .option(
      "--no-proofs",
      "Require proofs for every segment, or ignore them; by default, those that exist are checked.",
    );
  addJson(addConnections(addInputDir(command)), "Print JSON lines: problems, each segment, totals last.");
  addExamples(command, [
    ["trawl atproto verify", "check all of ./rca"],
    ["trawl atproto verify rca/segment_0007.rca --proofs", "one segment, with its proofs"],
    ["trawl atproto repair", "repair what can be repaired"],
  ]);
  command.action((named: string[], options: VerifyOptions) => verify(cli, named, options));
}

async function verify(cli: Cli, named: string[], options: VerifyOptions): Promise<void> {
  const { verifySegment } = await import("../../../../app/atproto/segments.ts");
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
    const segments = (await namedSegments(named, options.inputDir)).filter(({ kind }) => kind === "rca");
    for (const { path } of segments) {
      const proofs = options.proofs ?? existsSync(path.replace(/\.rca(\.partial)?$/, ".rcx"));
      const checked = verifySegment(path, { proofs, onDamage, onProgress, signal: stopping.signal });
      const counts = await checked.catch((error: unknown) => {
        if (named.length > 0) throw error;
        return unreadable(path, error, onDamage);
      });
      sums.segments++;
      if (!counts.indexed && path.endsWith(".partial")) sums.unfinished++;
      for (const name of SUMS) sums[name] += counts[name] ?? 0;
      if (options.json) terminal.json({ event: "segment", ...counts });
    }
    progress.end();
    if (options.json) terminal.json({ event: "end", ...sums });
    else terminal.lines(sumLines(sums));
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

/** A file that is not a segment, or cannot be read, is a problem of the archive; the others are still checked. */
function unreadable(
  path: string,
  error: unknown,
  onDamage: (damage: Damage) => void,
): Partial<VerifyCounts> & Pick<VerifyCounts, "path" | "problems"> {
  if (!(error instanceof TrawlError) || !UNREADABLE.has(error.code)) throw error;
  // A writer may have claimed its name and not written its header yet.
  const torn = path.endsWith(".partial") && error.code === "NOT_A_SEGMENT";
  const reason = error.cause instanceof Error ? error.cause.message : "this is not a segment";
  onDamage({ path, offset: 0, did: null, reason, torn });
  return { path, problems: torn ? 0 : 1 };
}

function sumLines(sums: Sums): string[] {
  const verdict = sums.problems === 0 ? "Everything is intact" : `${counted(sums.problems, "problem")}`;
  const held = `${counted(sums.segments, "segment")}, ${counted(sums.repos, "repo")}, ${counted(sums.records, "record")}, ${bytes(sums.bytes)}`;
  const lines = [`${verdict}: ${held}.`];
  if (sums.provenRepos > 0) lines.push(`  ${counted(sums.provenRepos, "repo")} proven by the signed commit`);
  if (sums.unprovableRepos > 0)
    lines.push(`  ${count(sums.unprovableRepos)} not provable: some of their records are not valid CBOR`);
  if (sums.problems > 0) lines.push("  `trawl atproto repair` keeps what is whole");
  if (sums.unfinished > 0)
    lines.push(`  ${counted(sums.unfinished, "unfinished segment")}: being written, or left by a crash`);
  return lines;
}
