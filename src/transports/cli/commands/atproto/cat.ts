/** `trawl atproto cat <did> [collection[/rkey]]`: records as they are stored. */
import { once } from "node:events";
import type { Command } from "commander";
import type { CatRecord } from "../../../../app/atproto/segments.ts";
import { TrawlError } from "../../../../errors.ts";
import { clean, count, counted, moment } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { table } from "../../output/table.ts";
import { addConnections, addInputDir, DamageTeller, type InputOptions } from "./atproto-options.ts";

type CatFlags = InputOptions & { all?: true; car?: true; inactive?: true };

export function addCatCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("cat")
    .summary("print a repo, a collection or a record")
    .description(
      "Prints what the archive has of a DID; if it was crawled more than once, the newest. With a DID alone: its " +
        "collections. With a collection: one line of JSON per record. With a record: that record.",
    )
    .argument("<did>", "such as did:plc:ewvi7nxzyoun6zhxrhs64oiz")
    .argument("[collection[/rkey]]", "such as app.bsky.feed.post, or app.bsky.actor.profile/self")
    .option("--all", "Print every record of every collection.")
    .option("--inactive", "Print it even if the account was taken down, suspended, deactivated or deleted.")
    .option("--car", "Write the repo as the original signed CAR; needs the proofs that `crawl` keeps by default.");
  addJson(addConnections(addInputDir(command)), "Print JSON, with the collection and rkey of each record.");
  addExamples(command, [
    ["trawl atproto cat did:plc:ewvi7nxzyoun6zhxrhs64oiz", "its collections"],
    ["trawl atproto cat did:web:example.com app.bsky.actor.profile/self", "one record"],
    ["trawl atproto cat did:web:example.com app.bsky.feed.post | jq -r .text", "all posts"],
    ["trawl atproto cat did:web:example.com --car > repo.car", "the signed repo"],
  ]);
  command.action(async (did: string, path: string | undefined, options: CatFlags) => {
    const { accountStatus, catRepo, findProven, signedCar } = await import("../../../../app/atproto/segments.ts");
    const { isDid } = await import("../../../../app/atproto/segments.ts");
    const { terminal } = cli;
    const damage = new DamageTeller(cli, options);
    const slash = path?.indexOf("/") ?? -1;
    const collection = slash < 0 ? path : path!.slice(0, slash);
    const rkey = slash < 0 ? undefined : path!.slice(slash + 1);
    const found = await catRepo({
      folder: options.inputDir,
      did,
      ...(collection !== undefined && { collection }),
      ...(rkey !== undefined && { rkey }),
      onDamage: damage.tell,
    });
    if (found === null && !isDid(did)) {
      throw new TrawlError(
        "BAD_USAGE",
        `${clean(did)} is not a DID such as did:plc:…; handles are not stored in an archive.`,
      );
    }
    if (found === null) throw new TrawlError("DID_NOT_ARCHIVED", `${options.inputDir} has no repo of ${clean(did)}.`);
    const status = options.inactive ? null : accountStatus(options.inputDir, did);
    if (status !== null) {
      throw new TrawlError(
        "DID_NOT_ARCHIVED",
        `${clean(did)} is not active (${clean(status)}). Pass --inactive to read it all the same.`,
      );
    }
    if (options.car) {
      const proven = await findProven(options.inputDir, did, damage.tell);
      const car = signedCar(proven?.proof ?? null);
      if (car === null) {
        throw new TrawlError("DID_NOT_ARCHIVED", `${clean(did)} was crawled without the blocks of its records.`);
      }
      if (!terminal.stdout.write(car)) await once(terminal.stdout, "drain");
    } else if (collection === undefined && !options.all) printRepo(cli, found.repo, options);
    else if ((await printRecords(cli, found.records, options)) === 0) {
      throw new TrawlError("DID_NOT_ARCHIVED", `The repo of ${clean(did)} has no ${clean(path ?? "records")}.`);
    }
    if (damage.count > 0) cli.exitCode = 1;
  });
}

interface Repo {
  did: string;
  pds: string;
  rev: string;
  crawledAt: bigint;
  path: string;
  offset: number;
  collections: readonly { name: string; recordCount: number }[];
}

function printRepo(
  { terminal }: Cli,
  { did, pds, rev, crawledAt, path, offset, collections }: Repo,
  { json }: InputOptions,
) {
  const at = Number(crawledAt / 1000n);
  const counts = collections.map(({ name, recordCount }) => ({ name, records: recordCount }));
  if (json) {
    terminal.json({ did, pds, rev, crawledAt: new Date(at).toISOString(), segment: path, offset, collections: counts });
    return;
  }
  const sum = counts.reduce((total, { records }) => total + records, 0);
  terminal.lines([
    `${clean(did)}: ${counted(sum, "record")}`,
    `from ${clean(pds)}, rev ${clean(rev)}, crawled ${moment(at)}`,
    ...table({
      columns: [
        { title: "", least: 16 },
        { title: "", align: "right" },
      ],
      rows: counts.map(({ name, records }) => [clean(name), count(records)]),
      width: terminal.width,
      indent: 2,
    }),
  ]);
}

async function printRecords({ terminal }: Cli, records: Iterable<CatRecord>, { json }: InputOptions): Promise<number> {
  let printed = 0;
  for (const { collection, rkey, json: stored } of records) {
    printed++;
    const text = stored.toString("utf8");
    const line = json
      ? `{"collection":${JSON.stringify(collection)},"rkey":${JSON.stringify(rkey)},"record":${text}}`
      : text;
    const free = terminal.stdout.write(`${line}\n`);
    if (!free) await once(terminal.stdout, "drain");
  }
  return printed;
}
