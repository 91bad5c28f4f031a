/** `trawl atproto follow`: the events of the network, recorded as they come. */
import { type Command, Option } from "commander";
import type { FollowProgress, FollowSettings } from "../../../../app/atproto/follow.ts";
import { type AtprotoConfig, parseAtprotoConfig, parseSize } from "../../../../app/atproto/settings.ts";
import { TrawlError } from "../../../../errors.ts";
import { clean, count, counted, duration, stopwatch } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { flatFacts, type ProgressFacts, ProgressReporter } from "../../output/progress.ts";
import { cut } from "../../output/table.ts";
import { readNumber } from "../../selection.ts";
import { addSettings, type CrawlFlags, crawlSettings, flagOfSetting, type Setting } from "./crawl-options.ts";
import { makeKnown } from "./make-known.ts";

interface FollowFlags extends CrawlFlags {
  source?: string;
  cursor?: number;
  archived?: true;
  eventSegmentSize?: string;
  closeEvery?: number;
  sweepEvery?: number;
  sweepRps?: number;
}

/** The options that fetching marked repos shares with a crawl. */
const SHARED: readonly Setting[] = [
  "outputDir",
  "segmentSize",
  "zstdLevel",
  "maxRepoSize",
  "proofs",
  "skipPds",
  "identityMaxAge",
  "plcUrl",
  "plcRps",
  "userAgent",
  "allowPrivate",
  "connectTo",
  "ca",
];

export function addFollowCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("follow")
    .summary("record the network's events as they come; Ctrl-C stops")
    .description(
      "Records the stream of a relay or PDS into event segments (events_0001.rce) next to the .rca segments: every record that is " +
        "created, changed or deleted, with the time at which it was seen, and what happens to accounts. Each commit is checked against " +
        "the signature of its account; what fails is refused, and the repo is fetched from its own server. Start it before " +
        "a crawl of the network, so that nothing is missed between the two. After Ctrl-C, a crash or a lost connection it continues " +
        "where it stopped; no event is stored twice.",
    )
    .addOption(
      new Option(
        "--source <stream>",
        "relay:https://…, pds:https://…, or jetstream:wss://…, whose events cannot be verified.",
      ).helpGroup("What to follow:"),
    )
    .addOption(
      new Option("--cursor <n>", "Where to begin the first time; 0 for the oldest that the source has. (default: now)")
        .argParser(readNumber)
        .helpGroup("What to follow:"),
    )
    .addOption(
      new Option(
        "--archived",
        "Only accounts whose repo is in the archive, such as those of a trial (crawl --max-repos).",
      ).helpGroup("What to follow:"),
    )
    .addOption(
      new Option(
        "--sweep-every <hours>",
        "How often to compare the revs of all repos with the archive; 0 for never. (default: 24)",
      )
        .argParser(readNumber)
        .helpGroup("What to follow:"),
    )
    .addOption(
      new Option("--sweep-rps <n>", "How many pages of 1,000 repos such a sweep reads per second. (default: 5)")
        .argParser(readNumber)
        .helpGroup("How fast:"),
    )
    .addOption(
      new Option("--close-every <s>", "Seconds between rounds of fetching repos with missing events. (default: 60)")
        .argParser(readNumber)
        .helpGroup("How fast:"),
    )
    .addOption(
      new Option(
        "--event-segment-size <size>",
        "Start the next segment of events at this size. (default: 512MB)",
      ).helpGroup("What to write:"),
    )
    .option("--json", "Print JSON lines: progress every second, totals last.");
  addSettings(command, SHARED);
  addExamples(command, [
    ["trawl atproto follow --source relay:https://bsky.network", "from now on, into ./rca"],
    ["trawl atproto follow --source relay:https://bsky.network --cursor 0", "from the relay's oldest event"],
    ["trawl atproto follow --source relay:https://bsky.network --archived", "only accounts that ./rca has"],
    ["trawl atproto follow --source pds:https://pds.example.com", "one server"],
    ["trawl atproto follow --source jetstream:wss://jetstream2.us-east.bsky.network", "less traffic, not verified"],
  ]);
  command.action(async (flags: FollowFlags) => {
    const { config, settings } = await readFlags(flags);
    cli.exitCode = await followSession(cli, config, settings, flags.json === true);
  });
}

async function readFlags(flags: FollowFlags): Promise<{ config: AtprotoConfig; settings: FollowSettings }> {
  const { source, eventSegmentSize, ...rest } = flags;
  if (source === undefined) throw new TrawlError("BAD_USAGE", "Give a stream: --source relay:https://…");
  const { FOLLOW_DEFAULTS, parseFollowSource } = await import("../../../../app/atproto/follow.ts");
  let config: AtprotoConfig;
  try {
    config = parseAtprotoConfig({ ...crawlSettings(rest), source: [source] });
  } catch (error) {
    if (!(error instanceof TrawlError) || error.code !== "BAD_CONFIG") throw error;
    throw new TrawlError("BAD_USAGE", error.message.replace(/^\w+/gm, flagOfSetting), { cause: error });
  }
  const number = (name: "cursor" | "closeEvery" | "sweepEvery" | "sweepRps", least: number): number | null => {
    const value = flags[name] ?? FOLLOW_DEFAULTS[name];
    if (value === null || value >= least) return value;
    throw new TrawlError("BAD_USAGE", `${flagOfSetting(name)} must be at least ${least}.`);
  };
  return {
    config,
    settings: {
      source: parseFollowSource(source, config.allowPrivate),
      cursor: number("cursor", 0),
      onlyArchived: flags.archived === true,
      closeEvery: number("closeEvery", 1)!,
      sweepEvery: number("sweepEvery", 0)!,
      sweepRps: number("sweepRps", 0.1)!,
      eventSegmentSize: eventSegmentSize === undefined ? FOLLOW_DEFAULTS.eventSegmentSize : parseSize(eventSegmentSize),
    },
  };
}

/** Returns the exit code: following never ends, so being stopped counts as success. */
async function followSession(
  cli: Cli,
  config: AtprotoConfig,
  settings: FollowSettings,
  json: boolean,
): Promise<number> {
  const { Follow } = await import("../../../../app/atproto/follow.ts");
  const { terminal } = cli;
  let reporter: ProgressReporter<FollowProgress> | null = null;
  const say = (text: string): void => {
    if (json) terminal.json({ event: "notice", text });
    else if (reporter === null) terminal.note(clean(text));
    else reporter.say(clean(text));
  };
  const began = performance.now();
  if (json) terminal.json({ event: "start", source: settings.source.name, outputDir: config.outputDir });
  else terminal.lines([`Following ${clean(settings.source.name)} into ${config.outputDir}`]);
  const follow = await Follow.start({ config, settings, events: { onNotice: say } });
  await makeKnown(cli, config.outputDir);
  const stop = (): void => void follow.stop().catch(() => {});
  terminal.onClosed = stop;
  const stopListening = listenForInterrupts((presses) => (presses > 2 ? process.exit(3) : stop()));
  reporter = new ProgressReporter<FollowProgress>(terminal, json, {
    progress: () => follow.progress(),
    counted: ({ stored }) => sum(stored),
    earlierMs: 0,
    line: followLine,
    event: (facts) => ({ event: "progress", ...flatFacts(facts) }),
  });
  try {
    await follow.ended;
  } finally {
    reporter.end();
    stopListening();
    const progress = follow.progress();
    const elapsedMs = Math.round(performance.now() - began);
    if (json) terminal.json({ event: "end", ...progress, elapsedMs });
    else terminal.lines(endLines(progress, elapsedMs));
  }
  return 0;
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, many) => total + many, 0);

/** The most important part comes first, so a narrow terminal cuts the rest. */
export function followLine({ progress, perSecond, elapsedMs }: ProgressFacts<FollowProgress>, width: number): string {
  const { state, stored, refused, lagMs, upkeep } = progress;
  const { marked, lap } = upkeep;
  const parts = [
    state === "following" ? "" : state,
    counted(sum(stored), "event"),
    `${perSecond.toFixed(1)}/s`,
    lagMs === null ? "" : lagMs < 5_000 ? "live" : `${duration(lagMs)} behind`,
    refused === 0 ? "" : `${count(refused)} refused`,
    marked === 0 ? "" : `${count(marked)} to fetch`,
    lap === null ? "" : `sweep: ${count(lap.listed)} repos`,
    stopwatch(elapsedMs),
  ];
  return cut(parts.filter((part) => part !== "").join(" · "), width);
}

function endLines(
  { stored, ops, refused, unproven, repeated, cursor, upkeep }: FollowProgress,
  elapsedMs: number,
): string[] {
  const { closed, marked, lastLap } = upkeep;
  return [
    `Stopped after ${duration(elapsedMs)}: ${counted(sum(stored), "event")} stored: ${count(ops.create)} created, ${count(ops.update)} changed, ${count(ops.delete)} deleted. Nothing is lost.`,
    ...(refused > 0 ? [`${counted(refused, "commit")} refused, because what they say was not signed.`] : []),
    ...(unproven > 0
      ? [`For ${counted(unproven, "commit")}, the server did not send the proof that no operation was left out.`]
      : []),
    ...(repeated > 0 ? [`${counted(repeated, "event")} had been stored before, or say nothing new.`] : []),
    ...(closed > 0 ? [`${counted(closed, "repo")} fetched, because events were missing.`] : []),
    ...(marked > 0 ? [`${counted(marked, "repo")} still to fetch.`] : []),
    ...(lastLap === null || lastLap.endedAt === null
      ? []
      : [
          `The last sweep took ${duration(lastLap.endedAt - lastLap.startedAt)} for ${counted(lastLap.listed, "repo")}.`,
        ]),
    ...(cursor === null ? [] : [`The next run continues after event ${cursor}.`]),
  ];
}
