/** `trawl atproto inspect <segment-file>`: header, index and collections of a segment. */
import type { Command } from "commander";
import type { IndexEntry, SegmentInspection } from "../../../../app/atproto/segments.ts";
import { bytes, clean, count, counted, moment } from "../../../texts.ts";
import { addJson, type Cli, type JsonOption } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { table } from "../../output/table.ts";
import type { Terminal } from "../../output/terminal.ts";
import { addConnections, damageLine } from "./atproto-options.ts";

interface InspectOptions extends JsonOption {
  index?: true;
}

export function addInspectCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("inspect")
    .summary("print a segment's header, index and collections")
    .description(
      "Prints the header of a segment, what its index says, and how many records and bytes each collection has. Unfinished " +
        "segments (.rca.partial) are read as far as they are written. Exit code 1 if anything in it is damaged.",
    )
    .argument("<segment-file>", "an .rca file, or an .rca.partial one")
    .option("--index", "Print the index too: one line per repo.");
  addJson(addConnections(command));
  addExamples(command, [
    ["trawl atproto inspect rca/segment_0001.rca", "what it holds"],
    ["trawl atproto inspect rca/segment_0001.rca --index", "with every repo"],
    ["trawl atproto inspect rca/segment_0001.rca --json | jq .collections", "for a script"],
  ]);
  command.action(async (path: string, options: InspectOptions) => {
    const { inspectSegment } = await import("../../../../app/atproto/segments.ts");
    const entries: IndexEntry[] = [];
    const keep = (entry: IndexEntry): void => void entries.push(entry);
    const found = await inspectSegment(path, options.index ? keep : undefined);
    const { terminal } = cli;
    if (options.json) terminal.json({ ...jsonFacts(found), ...(options.index && { index: entries }) });
    else {
      terminal.lines(lines(terminal, found));
      if (options.index) terminal.lines(indexLines(terminal, entries));
      for (const damage of found.damage) terminal.note(damageLine(damage, terminal.errorStyle));
    }
    if (found.damage.some(({ torn }) => !torn)) cli.exitCode = 1;
  });
}

const time = (micros: bigint): string => moment(Number(micros / 1000n));

/** Times are whole microseconds as text: not every JSON reader holds such large numbers exactly. */
const jsonFacts = ({ header, crawledFrom, crawledTo, ...found }: SegmentInspection) => ({
  ...found,
  header: header === null ? null : JSON.parse(JSON.stringify(header, (_, value) => plain(value))),
  crawledFrom: plain(crawledFrom),
  crawledTo: plain(crawledTo),
});

const plain = (value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

function lines(terminal: Terminal, found: SegmentInspection): string[] {
  const { style, width } = terminal;
  const { header } = found;
  const facts: [string, string][] = [
    ["size", bytes(found.size)],
    ["header", header === null ? "damaged" : `created ${time(header.createdAt)}`],
    ["index", found.indexed ? counted(header?.repoCount ?? found.repos, "repo") : "none; read block by block"],
    ["repos", count(found.repos)],
    ["records", count(found.records)],
  ];
  if (found.crawledFrom !== null && found.crawledTo !== null) {
    facts.push(["crawled", `${time(found.crawledFrom)} to ${time(found.crawledTo)}`]);
  }
  const right = { align: "right" as const };
  return [
    clean(found.path),
    ...table({
      columns: [{ title: "" }, { title: "" }],
      rows: facts.map(([name, value]) => [{ text: name, style: style.dim }, value]),
      width: Number.POSITIVE_INFINITY,
      indent: 2,
    }),
    "",
    ...table({
      columns: [
        { title: "collection", least: 16 },
        { title: "repos", ...right },
        { title: "records", ...right },
        { title: "packed", ...right },
        { title: "JSON", ...right },
      ],
      rows: found.collections.map(({ name, repos, records, compressedBytes, contentBytes }) => [
        clean(name),
        count(repos),
        count(records),
        bytes(compressedBytes),
        bytes(contentBytes),
      ]),
      width,
      heading: style.dim,
    }),
  ];
}

const indexLines = ({ style, width }: Terminal, entries: IndexEntry[]): string[] => [
  "",
  ...table({
    columns: [
      { title: "did", least: 20 },
      { title: "offset", align: "right" },
      { title: "size", align: "right" },
      { title: "crc32", align: "right" },
    ],
    rows: entries.map(({ did, offset, size, crc }) => [
      clean(did),
      String(offset),
      String(size),
      crc.toString(16).padStart(8, "0"),
    ]),
    width,
    heading: style.dim,
  }),
];
