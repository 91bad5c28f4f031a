/** Every setting of a crawl of the network: its type, its default, and the reason for that default. */
import { z } from "zod";
import { TrawlError } from "../errors.ts";
import { badConfig, parseSettings } from "../settings/problems.ts";

const described = <T extends z.ZodType>(description: string, schema: T): T => schema.meta({ description }) as T;
const flag = z.boolean().default(false);
const seconds = (value: number) => z.number().positive().default(value);

/** Sockets and CARs in flight; memory is limited separately. */
const MOST_WORKERS = 1_000;

/** Offsets in a CAR have 31 bits. */
const MOST_CAR_BYTES = 2 ** 31;

const COLLECTION = /^[a-zA-Z][a-zA-Z0-9-]*(?:\.[a-zA-Z0-9-]+){2,}$/;
const COLLECTIONS = /^[a-zA-Z][a-zA-Z0-9.-]*\*?$/;

/** `2GB`, or a number of bytes. */
const size = (value: string) =>
  z
    .union([z.int().min(1), z.string().refine(isSize, { error: "expected a size such as 2GB, 512MB or 4096" })])
    .transform((written) => (typeof written === "number" ? written : parseSize(written)))
    .prefault(value);

export const atprotoConfigSchema = z.strictObject({
  source: described(
    "Where DIDs come from: relay:https://…, pds:https://…, plc:FILE, plc:https://…, dids:FILE or clickhouse. Several sources are read one after another.",
    z.array(z.string().min(1)).min(1, "name at least one source"),
  ),
  outputDir: described(
    "The folder for segments, and for the state unless it is in Redis.",
    z.string().min(1).default("rca"),
  ),
  workers: described(
    "How many repos to fetch at once, over all hosts. By default, as many as the hosts take: 4 from a small one, 10 from a medium one, 50 from a large one, and at most 1,000 together.",
    z.int().min(1).max(MOST_WORKERS).nullable().default(null),
  ),
  defaultPdsRps: described(
    "Requests per second to a PDS with 100 to 999 repos; smaller ones get at most 2, larger ones 10.",
    z.number().min(0.5).max(100).default(5),
  ),
  segmentSize: described("A segment that reaches this size is finished, and the next one started.", size("2GB")),
  zstdLevel: described("Compression level of segments; 3 is as fast as parsing.", z.int().min(1).max(19).default(3)),
  pageSize: described(
    "How many DIDs to read from a source at once. 50 pages are read ahead, to disk, and more while a host has nothing to do.",
    z.int().min(1).max(1_000_000).default(50_000),
  ),
  skipPds: described(
    "Hosts to skip: names with *, such as *.example.com, or /regular expressions/ for the whole address.",
    z.array(z.string().min(1)).default([]),
  ),
  maxAccounts: described(
    "Maximum number of accounts to take from one host's list; by default all. A host may not list more than twice as many as its relay knows of.",
    z.int().min(1).nullable().default(null),
  ),
  signalCollection: described(
    "Only accounts that have records in this collection, such as app.bsky.feed.generator: a relay lists them where it can (listReposByCollection), otherwise hosts are asked about each account (describeRepo) before its repo is fetched.",
    z
      .array(z.string().regex(COLLECTION, { error: "expected the name of a collection, such as app.bsky.feed.post" }))
      .default([]),
  ),
  maxRepos: described(
    "Stop when this run has stored this many repos, for a trial; --resume continues.",
    z.int().min(1).nullable().default(null),
  ),
  collections: described(
    "Store only these collections of each repo, such as app.bsky.feed.post or app.bsky.graph.*. The signature is still checked, but not kept: implies --proofs none.",
    z
      .array(z.string().regex(COLLECTIONS, { error: "expected collections such as app.bsky.feed.post or app.bsky.*" }))
      .default([]),
  ),
  resume: described("Continue where the last crawl stopped; without it, sources are read from the beginning.", flag),
  since: described(
    "An earlier archive: repos with an unchanged revision are not fetched. If the source does not list revisions (plc, dids, clickhouse), the hosts are asked.",
    z.string().min(1).nullable().default(null),
  ),
  changesFrom: described(
    "With since: for repos that take at least this much in the archive, only the changes are fetched, if its proofs have the blocks and the host supports it (getRepo?since=).",
    size("256KB"),
  ),
  maxRepoSize: described(
    "A larger CAR is not stored, but listed as too_large; personal accounts are far below 100MB. At most 2GB: it is in memory as a whole while it is read.",
    size("100MB").refine((bytes) => bytes <= MOST_CAR_BYTES, { error: "expected at most 2GB" }),
  ),
  verify: described(
    "What to check: none; blocks, the hash of every block; or full, also the signature against the DID's document.",
    z.enum(["none", "blocks", "full"]).default("full"),
  ),
  identities: described(
    "A PLC export (file, .gz or .zst) or the address of a directory: loads the PDS and key of every DID first, instead of looking them up one by one.",
    z.string().min(1).nullable().default(null),
  ),
  identityMaxAge: described("Hours for which a DID document is used after it was looked up.", seconds(24)),
  trustSources: described(
    "Take a source's word for the host of a DID, instead of its document's: any host can then claim any account. For closed networks.",
    flag,
  ),
  json: described(
    "JSON of records. seed: keys named cid are dropped and bytes are base64; lossless: the protocol's own JSON.",
    z.enum(["seed", "lossless"]).default("seed"),
  ),
  proofs: described(
    "What to keep in an .rcx next to each segment, to verify it offline. blocks: every record as it was signed, enough to rebuild the CAR; cids: only the CIDs; none.",
    z
      .union([z.boolean(), z.enum(["none", "cids", "blocks"])])
      .transform((written) => (written === true ? "blocks" : written === false ? "none" : written))
      .prefault("blocks"),
  ),
  redisAddress: described(
    "host:port of a Redis for the state; null keeps it in a file. Processes with the same Redis divide the hosts among them.",
    z.string().min(1).nullable().default(null),
  ),
  clickhouseUrl: described(
    "The ClickHouse server, over HTTP.",
    z.url({ protocol: /^https?$/ }).default("http://localhost:8123"),
  ),
  clickhouseDatabase: described("Its database.", z.string().min(1).default("default")),
  clickhouseUsername: described("Its user.", z.string().min(1).default("default")),
  clickhousePassword: described("The user's password.", z.string().default("")),
  plcUrl: described(
    "The PLC directory in which DIDs are looked up.",
    z.url({ protocol: /^https?$/ }).default("https://plc.directory"),
  ),
  plcRps: described("Lookups per second in the PLC directory.", z.number().min(0.1).max(1_000).default(10)),
  allowPrivate: described("Allow hosts on private addresses, and http, for tests and closed networks.", flag),
  userAgent: described("The User-Agent header.", z.string().min(1).default("trawl/0.1")),
  connectTo: described(
    "Connect to a different address, as HOST:PORT:ADDRESS:PORT (like curl).",
    z.array(z.string().min(1)).default([]),
  ),
  ca: described("File with additional certificates to trust (PEM).", z.string().nullable().default(null)),
  connectTimeout: described("Seconds to wait for a connection.", seconds(15)),
  firstByteTimeout: described(
    "Seconds to wait for the first byte; a host exports a large repo before it sends it.",
    seconds(120),
  ),
  idleTimeout: described("Seconds to wait for the next byte.", seconds(60)),
  minRate: described(
    "Minimum bytes per second, over each minute: slower answers are aborted, so that no host keeps a worker busy for hours.",
    z.int().min(0).default(65_536),
  ),
  blockAfter: described(
    "Failures in a row after which a host is not requested for a while.",
    z.int().min(1).default(10),
  ),
  probeAfter: described("Seconds until such a host is tried again; twice as long each time.", seconds(60)),
  probes: described(
    "Failed probes after which a host's repos are left for the next crawl.",
    z.int().min(0).max(20).default(4),
  ),
  metricsPort: described(
    "Serve Prometheus metrics on this port of this machine; 0 for any free port.",
    z.int().min(0).max(65_535).nullable().default(null),
  ),
});

export type AtprotoConfig = z.infer<typeof atprotoConfigSchema>;
/** As people write them: only the source is required, and sizes may be texts. */
export type AtprotoSettings = z.input<typeof atprotoConfigSchema>;

/** How many repos may be fetched at once. */
export const workersOf = ({ workers }: Pick<AtprotoConfig, "workers">): number => workers ?? MOST_WORKERS;

/** All problems at once. */
export function parseAtprotoConfig(written: unknown): AtprotoConfig {
  const config = parseSettings(atprotoConfigSchema, written);
  if (config.collections.length === 0) return config;
  const { proofs } = written as AtprotoSettings;
  if (proofs !== undefined && config.proofs !== "none") {
    throw badConfig([
      {
        setting: "proofs",
        message: "a repo without all its collections cannot be proven; use only one of the two",
      },
    ]);
  }
  return { ...config, proofs: "none" };
}

function isSize(text: string): boolean {
  try {
    return parseSize(text) > 0;
  } catch {
    return false;
  }
}

const SIZE = /^(\d+(?:\.\d+)?)\s*(?:([kmgt])i?b?|b)?$/i;
const POWERS: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4 };

/** Sizes as people type them: `2GB`, `512 KiB`, `1.5g`, `4096`. All units count by 1024. */
export function parseSize(text: string): number {
  const match = SIZE.exec(text.trim());
  const bytes = match === null ? Number.NaN : Number(match[1]) * 1024 ** (POWERS[match[2]?.toLowerCase() ?? ""] ?? 0);
  const whole = Math.round(bytes);
  if (!Number.isSafeInteger(whole) || whole < 1) {
    throw new TrawlError("BAD_CONFIG", `${JSON.stringify(text)} is not a size; write it as 2GB, 512MB or 4096.`);
  }
  return whole;
}
