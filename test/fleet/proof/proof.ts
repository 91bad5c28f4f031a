/** A fleet under proof: hosts, a database, workers that can be killed, and what is checked at the end. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, fork, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { App } from "../../../src/app/app.ts";
import { openHome } from "../../../src/app/home.ts";
import { Connection } from "../../../src/fleet/postgres/connection.ts";
import { schemaOf } from "../../../src/fleet/postgres/schema.ts";
import { parseConfig } from "../../../src/site/site-config.ts";
import { SiteCrawl } from "../../../src/site/site-crawl.ts";
import { seedSources } from "../../../src/site/site-seeds.ts";
import { sqliteSiteStore } from "../../../src/site/store/site-store.ts";
import { PROGRAM } from "../../cli/trawl.ts";
import { type Asked, hostAt, type WebNews } from "./web.ts";

const run = promisify(execFile);
const script = (name: string): string => join(import.meta.dirname, name);

/** Clocks of workers count whole milliseconds, and a timer may be a part of one early. */
const ROUNDING_MS = 2;

export interface ProofOptions {
  hosts: number;
  pages: number;
  /** Requests per second to each host. */
  rate: number;
  /** Leases are this many times shorter than they are. */
  speed: number;
  postgres: () => string;
  /** More options of `trawl fleet start`. */
  start?: string[];
}

export interface Sent {
  at: number;
  pid: number;
  port: number;
  host: string;
  path: string;
}

export class FleetProof {
  readonly name = `proof-${randomUUID().slice(0, 8)}`;
  readonly options: ProofOptions;
  readonly workers = new Set<ChildProcess>();
  readonly #folder = mkdtempSync(join(tmpdir(), "trawl-fleet-proof-"));
  readonly #log = join(this.#folder, "sent.log");
  #web!: ChildProcess;
  #port = 0;
  #watching: Promise<void> | null = null;
  #isOver = false;
  snapshots = 0;
  /** Workers that ended with an error. */
  failed = 0;

  constructor(options: ProofOptions) {
    this.options = options;
  }

  async open(): Promise<void> {
    writeFileSync(this.#log, "");
    const { hosts, pages } = this.options;
    this.#web = fork(script("web.ts"), [`${hosts}`, `${pages}`]);
    const [news] = (await once(this.#web, "message")) as [WebNews];
    this.#port = news.port!;
    const { rate, start = [] } = this.options;
    await this.trawl("fleet", "start", this.name, ...this.#starts(), "--rate", `${rate}`, ...start);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    for (const worker of this.workers) worker.kill("SIGKILL");
    this.#web.disconnect();
    await this.#watching?.catch(() => {});
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #starts(): string[] {
    return Array.from({ length: this.options.hosts }, (_, index) => `http://${hostAt(index)}:${this.#port}/`);
  }

  async trawl(...args: string[]): Promise<string> {
    const env = {
      ...process.env,
      TRAWL_HOME: join(this.#folder, "home"),
      TRAWL_POSTGRES: this.options.postgres(),
      TRAWL_NO_UPDATE_CHECK: "1",
    };
    const { stdout } = await run(process.execPath, [PROGRAM, ...args, "--json"], { env, maxBuffer: 1 << 28 });
    return stdout.trim();
  }

  work(environment: Record<string, string> = {}): ChildProcess {
    const { speed, postgres } = this.options;
    const preload = ["--import", script("send-log.ts"), script("worker.ts")];
    const worker = spawn(process.execPath, [...preload, this.name, postgres(), `${speed}`], {
      env: { ...process.env, TRAWL_PROOF_LOG: this.#log, ...environment },
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.workers.add(worker);
    worker.once("exit", (code) => {
      this.workers.delete(worker);
      if (code === 1) this.failed++;
    });
    return worker;
  }

  /** Waits until so many URLs are settled. Workers that ended by themselves would keep it waiting for ever. */
  async reach(settled: number): Promise<void> {
    while ((await this.settled()) < settled) {
      assert.equal(this.failed, 0, "workers failed");
      assert.ok(this.workers.size > 0, "all workers have ended");
      await sleep(100);
    }
  }

  /** Waits until the crawl is done. */
  async end(): Promise<void> {
    while (this.workers.size > 0) await sleep(100);
    assert.equal(this.failed, 0, "workers failed");
    assert.equal((await this.state()).state, "done");
  }

  async kill(worker: ChildProcess): Promise<void> {
    const exited = once(worker, "exit");
    worker.kill("SIGKILL");
    await exited;
  }

  /** Looks again and again, in one statement each, whether the sums agree with what they count. */
  watch(): void {
    const s = schemaOf(this.name);
    const { postgres } = this.options;
    this.#watching = (async () => {
      for (; !this.#isOver; await sleep(200)) {
        const connection = new Connection(postgres().split(","), { connectMs: 2_000, answerMs: 5_000 });
        // While the database is down there is nothing to see.
        const [row] = await connection
          .query<{ open: number; tasks: number; settled: number; ended: number }>(
            `SELECT sum(open)::int AS open, (SELECT count(*) FROM ${s}.tasks)::int AS tasks, sum(settled)::int AS settled,
               (SELECT count(*) FROM ${s}.urls WHERE verdict = 0 AND state > 0 OR verdict <> 0 AND state IS NULL AND place > 0)::int AS ended
             FROM ${s}.parts`,
          )
          .catch(() => []);
        await connection.close();
        if (row === undefined) continue;
        this.snapshots++;
        assert.equal(row.open, row.tasks, "Σ open is the number of tasks");
      }
    })();
    this.#watching.catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
  }

  async state(): Promise<{ state: string; settled: number; open: number; inbox: number }> {
    return JSON.parse(await this.trawl("fleet", "status", this.name));
  }

  async settled(): Promise<number> {
    return this.#sum("settled");
  }

  async #sum(column: string): Promise<number> {
    const connection = new Connection(this.options.postgres().split(","), { connectMs: 2_000, answerMs: 5_000 });
    const rows = await connection
      .query<{ n: number }>(`SELECT sum(${column})::int AS n FROM ${schemaOf(this.name)}.parts`)
      .catch(() => []);
    await connection.close();
    return rows[0]?.n ?? 0;
  }

  sent(): Sent[] {
    const lines = readFileSync(this.#log, "utf8").trim().split("\n").filter(Boolean);
    const all = lines.map((line) => {
      const [at, pid, port, host, path] = line.split(" ") as [string, string, string, string, string];
      return { at: Number(at), pid: Number(pid), port: Number(port), host, path };
    });
    return all.sort((a, b) => a.at - b.at);
  }

  async asked(): Promise<Asked[]> {
    this.#web.send("log");
    const [news] = (await once(this.#web, "message")) as [WebNews];
    return news.log!;
  }

  /** The rate where requests are made, over all workers, and what the hosts saw of it. */
  politeness(
    sent: readonly Sent[],
    asked: readonly Asked[],
  ): { closest: number; closestSeen: number; handOvers: number } {
    const least = 1_000 / this.options.rate;
    const workerAt = new Map<number, { at: number; pid: number }[]>();
    for (const { port, pid, at } of sent) workerAt.set(port, [...(workerAt.get(port) ?? []), { at, pid }]);
    const pidOf = (port: number, at: number) => workerAt.get(port)?.findLast((one) => one.at <= at + 1)?.pid;
    let handOvers = 0;
    const isRepeat = repeats(sent, asked);
    const closest = gaps(
      sent.filter((one) => !isRepeat(one)),
      (before, after) => {
        if (before.pid !== after.pid) handOvers++;
        const gap = after.at - before.at;
        const told = `${after.host}: ${before.path} of ${before.pid} and ${after.path} of ${after.pid}, ${gap.toFixed(1)} ms`;
        assert.ok(gap >= least - ROUNDING_MS, told);
      },
    );
    const closestSeen = gaps(asked, () => {});
    for (const { host, port, open, at } of asked) {
      for (const other of open)
        assert.equal(pidOf(other, at), pidOf(port, at), `${host} was asked by two workers at once`);
    }
    return { closest, closestSeen, handOvers };
  }

  /** Everything that is promised, whatever went wrong. */
  async verify(): Promise<Record<string, number>> {
    const sent = this.sent();
    const politeness = this.politeness(sent, await this.asked());
    return {
      ...{ sent: sent.length, ...politeness },
      ...(await this.storedOnce()),
      ...(await this.compare()),
      snapshots: this.snapshots,
    };
  }

  /** What was crawled, and with which result: of the fleet, and of one machine. */
  async compare(): Promise<{ urls: number }> {
    const { crawlId } = JSON.parse(await this.trawl("fleet", "pull", this.name)) as { crawlId: number };
    const fleet = await this.#urls(crawlId);
    const alone = await this.#urls(await this.#crawlAlone());
    assert.deepEqual(fleet, alone);
    return { urls: fleet.length };
  }

  /** The same crawl on one machine, as an ordinary crawl. The command line starts at one URL; the engine at any number. */
  async #crawlAlone(): Promise<number> {
    const app = new App({
      version: "0",
      home: openHome({ TRAWL_HOME: join(this.#folder, "home") }),
      updateCheck: false,
    });
    const startUrls = this.#starts();
    const config = parseConfig({ parallelism: 32 });
    try {
      return await app.crawls.adopt({ mode: "site", startUrls, config, isComplete: true }, async (database) => {
        const crawl = await SiteCrawl.start({
          ...{ config, startUrls, store: () => sqliteSiteStore(database) },
          sources: seedSources({ via: "initial", batches: oneBatch(startUrls) }),
        });
        const { state, error } = await crawl.ended;
        assert.equal(state, "completed", String(error));
        const { crawled, discovered } = crawl.progress();
        return { crawled, discovered };
      });
    } finally {
      await app.close();
    }
  }

  async #urls(crawlId: number): Promise<string[]> {
    const fields = "url,verdict,reason,status,title,redirectTo";
    const found = JSON.parse(await this.trawl("urls", `${crawlId}`, "--fields", fields, "--limit", "1000000")) as {
      rows: Record<string, unknown>[];
    };
    return found.rows.map((row) => JSON.stringify(row)).sort();
  }

  /** Every page that was crawled has one record, unless they are elsewhere, and nothing is left. */
  async storedOnce(elsewhere?: "records in ClickHouse"): Promise<{ records: number }> {
    const s = schemaOf(this.name);
    const connection = new Connection(this.options.postgres().split(","));
    const [row] = await connection.query<Record<string, number>>(
      `SELECT (SELECT count(*) FROM ${s}.records)::int AS records, (SELECT count(*) FROM ${s}.tasks)::int AS tasks,
         (SELECT count(*) FROM ${s}.inbox)::int AS inbox, (SELECT sum(open) FROM ${s}.parts)::int AS open,
         (SELECT count(*) FROM (SELECT key FROM ${s}.urls GROUP BY key HAVING count(*) > 1) x)::int AS twice,
         (SELECT count(*) FROM ${s}.urls u WHERE state > 0 AND NOT EXISTS
           (SELECT 1 FROM ${s}.records r WHERE r.part = u.part AND r.id = u.id))::int AS without`,
    );
    await connection.close();
    const { records, ...rest } = row!;
    const without = elsewhere === undefined ? 0 : rest["without"];
    assert.deepEqual(rest, { tasks: 0, inbox: 0, open: 0, twice: 0, without });
    return { records: records! };
  }
}

async function* oneBatch<T>(value: T): AsyncGenerator<T> {
  yield value;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Whether a request is one that did not reach its host, because the host closed the connection just then, and was sent again: the
 * worker wrote it more often than the host was asked.
 */
function repeats(sent: readonly Sent[], asked: readonly Asked[]): (one: Sent) => boolean {
  const name = ({ host, path, port }: { host: string; path: string; port: number }) => `${host} ${path} ${port}`;
  const heard = new Set(asked.map(name));
  const byWorker = Map.groupBy(sent, ({ pid, host, path }) => `${pid} ${host} ${path}`);
  return (one) =>
    !heard.has(name(one)) && byWorker.get(`${one.pid} ${one.host} ${one.path}`)!.some(({ at }) => at > one.at);
}

/** The smallest time between two requests to one host. */
function gaps<T extends { at: number; host: string }>(all: readonly T[], each: (before: T, after: T) => void): number {
  const last = new Map<string, T>();
  let closest = Number.POSITIVE_INFINITY;
  for (const one of all) {
    const before = last.get(one.host);
    if (before !== undefined) {
      closest = Math.min(closest, one.at - before.at);
      each(before, one);
    }
    last.set(one.host, one);
  }
  return closest;
}
