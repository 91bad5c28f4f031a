/**
 * What a fleet costs and gains: 1, 2 and 4 workers on slow hosts, one worker beside `trawl crawl`, and the bytes and rows that
 * PostgreSQL holds. Exits with 1 when a target is missed. Needs Debian's PostgreSQL; everything runs on this machine.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { schemaOf } from "../src/fleet/postgres/schema.ts";
import { inspect, NO_POSTGRES, TestPostgres } from "../src/fleet/testing/postgres-server.ts";
import { lastJsonLine } from "./contender.ts";
import { Progress } from "./fleet-progress.ts";
import { recovery } from "./fleet-recovery.ts";
import { HOSTS, type Site, settings, site } from "./fleet-site.ts";
import { circumstances, table, writeSection } from "./results.ts";

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL("../bin/trawl.js", import.meta.url));
/**
 * A server that has just started may have forgotten leases, so workers take nothing for this long. That does not count
 * as a cost of workers.
 */
const FORGETFUL_MS = 16_000;
/** The targets. */
const [TWO, FOUR, COST] = [1.9, 3.6, 1.3];

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "20" },
    "fast-pages": { type: "string", default: "60" },
    rows: { type: "string", default: "2000000" },
  },
});

class Bench {
  readonly #postgres: TestPostgres;
  readonly #home = mkdtempSync(join(tmpdir(), "trawl-fleet-bench-"));
  #crawls = 0;

  constructor(postgres: TestPostgres) {
    this.#postgres = postgres;
  }

  async trawl(...typed: string[]): Promise<string> {
    const env = {
      ...process.env,
      TRAWL_HOME: this.#home,
      TRAWL_POSTGRES: this.#postgres.url,
      TRAWL_NO_UPDATE_CHECK: "1",
    };
    return (await run(process.execPath, [PROGRAM, ...typed, "--json"], { env, maxBuffer: 1 << 28 })).stdout;
  }

  /** URLs per second of one machine without a fleet. */
  async alone({ url, config }: Site, maxFetches: number): Promise<{ urls: number; rate: number }> {
    const { crawled, elapsedMs } = lastJsonLine(
      await this.trawl("crawl", url, ...settings(maxFetches, config)),
    ) as Record<string, number>;
    return { urls: crawled!, rate: (crawled! * 1_000) / elapsedMs! };
  }

  async fleet(
    { url, config }: Site,
    workers: number,
    maxFetches: number,
  ): Promise<{ urls: number; rate: number; statements: number; name: string }> {
    const name = `bench${++this.#crawls}`;
    await this.trawl("fleet", "start", name, url, ...settings(64, config));
    const work = () => this.trawl("fleet", "work", name, "--max-fetches", String(maxFetches));
    const ends = (await Promise.all(Array.from({ length: workers }, work))).map(lastJsonLine) as Record<
      string,
      number
    >[];
    const urls = ends.reduce((sum, { pages }) => sum + pages!, 0);
    const statements = ends.reduce((sum, { statements }) => sum + statements!, 0);
    return { name, urls, statements, rate: (urls * 1_000) / Math.max(...ends.map(({ elapsedMs }) => elapsedMs!)) };
  }

  close(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }
}

interface Scaling {
  workers: number;
  urls: number;
  rate: number;
}

/** With 16 requests at once and answers after 400 ms, one worker can do 40 per second at most. */
async function scaling(bench: Bench): Promise<Scaling[]> {
  const slow = await site(Number(values.pages), 400);
  const rows: Scaling[] = [];
  for (const workers of [1, 2, 4]) {
    const progress = new Progress(slow);
    const { urls } = await bench.fleet(slow, workers, 16);
    rows.push({ workers, urls, rate: await progress.steadyRate(urls) });
  }
  slow.close();
  return rows;
}

async function cost(bench: Bench, postgres: TestPostgres) {
  const fast = await site(Number(values["fast-pages"]), 0);
  const connection = inspect(postgres);
  const wal = async () =>
    (await connection.query<{ bytes: number }>("SELECT (pg_current_wal_lsn() - '0/0')::float8 AS bytes"))[0]!.bytes;
  // The best of three runs each, in turn, so that other load on the machine matters less.
  let [alone, one, walPerUrl, statementsPerUrl, name] = [0, 0, 0, 0, ""];
  for (let round = 0; round < 3; round++) {
    alone = Math.max(alone, (await bench.alone(fast, 32)).rate);
    const before = await wal();
    const fleet = await bench.fleet(fast, 1, 32);
    [walPerUrl, name] = [((await wal()) - before) / fleet.urls, fleet.name];
    statementsPerUrl = fleet.statements / fleet.urls;
    one = Math.max(one, fleet.rate);
  }
  fast.close();
  const s = schemaOf(name);
  const [sizes] = await connection.query<Record<string, number>>(
    `SELECT count(*)::float8 AS urls, avg(length(key))::float8 AS key_bytes, pg_total_relation_size('${s}.urls')::float8 AS url_bytes,
       (SELECT count(*) FROM ${s}.records)::float8 AS records, pg_total_relation_size('${s}.records')::float8 AS record_bytes,
       (SELECT avg(length(bytes)) FROM ${s}.records)::float8 AS packed_bytes FROM ${s}.urls`,
  );
  await connection.close();
  return {
    alone,
    one,
    walPerUrl,
    statementsPerUrl,
    ...(sizes as Record<"urls" | "key_bytes" | "url_bytes" | "records" | "record_bytes" | "packed_bytes", number>),
  };
}

const postgres = await TestPostgres.start();
if (postgres === null) {
  console.log(NO_POSTGRES);
  process.exitCode = 1;
} else {
  const bench = new Bench(postgres);
  try {
    await new Promise((resolve) => setTimeout(resolve, FORGETFUL_MS));
    const scaled = await scaling(bench);
    const costs = await cost(bench, postgres);
    const recovered = await recovery(postgres, Number(values.rows));
    const [first, second, third] = scaled.map(({ rate }) => rate / scaled[0]!.rate) as [number, number, number];
    const targets: [boolean, string][] = [
      [second >= TWO, `2 workers at least ${TWO} times as fast as 1, on slow hosts`],
      [third >= FOUR, `4 workers at least ${FOUR} times as fast as 1, on slow hosts`],
      [costs.alone / costs.one <= COST, `one worker needs at most ${COST} times the time of \`trawl crawl\``],
    ];
    const text = [
      "## Fleet: workers, cost and bytes",
      "",
      `${circumstances(new Date())}, Node ${process.version}, PostgreSQL with fsync; ${HOSTS} hosts, workers, PostgreSQL and hosts on this one machine.`,
      "",
      "Answers after 400 ms, 16 requests at once per worker; from the first tenth of the URLs to the last:",
      "",
      table(
        ["workers", "URLs", "URLs/s", "times one worker"],
        scaled.map(({ workers, urls, rate }, at) => [
          `${workers}`,
          `${urls}`,
          rate.toFixed(1),
          [first, second, third][at]!.toFixed(2),
        ]),
      ),
      "",
      "Answers at once, 32 requests at once, pages of 4 KB with eleven links, best of three:",
      "",
      table(
        ["", "URLs/s"],
        [
          ["`trawl crawl`", costs.alone.toFixed(0)],
          ["a fleet of one worker", costs.one.toFixed(0)],
        ],
      ),
      "",
      table(
        ["PostgreSQL", ""],
        [
          ["statements per URL", costs.statementsPerUrl.toFixed(3)],
          ["WAL per URL settled, with its record", `${(costs.walPerUrl / 1_000).toFixed(1)} KB`],
          [
            `table and index per URL (addresses of ${costs.key_bytes.toFixed(0)} characters)`,
            `${(costs.url_bytes / costs.urls).toFixed(0)} B`,
          ],
          [
            `record per page (${costs.packed_bytes.toFixed(0)} B packed)`,
            `${(costs.record_bytes / costs.records).toFixed(0)} B`,
          ],
          [`bytes per URL of ${recovered.rows} rows in one partition`, `${recovered.bytesPerUrl.toFixed(0)} B`],
          ["bytes more while it waits", `${recovered.bytesPerTask.toFixed(0)} B`],
          ["URLs read per second when a partition is taken over", recovered.perSecond.toFixed(0)],
        ],
      ),
      "",
      ...targets.map(([isMet, what]) => `- ${isMet ? "met" : "**not met**"}: ${what}`),
    ].join("\n");
    console.log(text);
    writeSection("fleet", text);
    process.exitCode = targets.every(([isMet]) => isMet) ? 0 : 1;
  } finally {
    bench.close();
    await postgres.stop();
  }
}
