/**
 * A fleet crawl, or one host of it, as one ordinary crawl database: its URLs and records are read by key, in short
 * transactions, and get the ids of a crawl on one machine. What is decided after the URLs have been read is not
 * included.
 */
import { TrawlError } from "../../errors.ts";
import { TASK_STATES } from "../../kernel/ledger.ts";
import { SeenTable } from "../../kernel/seen.ts";
import { ACTIONS, type Admitted, type Verdict } from "../../kernel/task.ts";
import { metaOf, type SiteMeta, siteMeta } from "../../site/links/link-kinds.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import type { SiteRecord } from "../../site/site-record.ts";
import { type SiteStore, sqliteSiteStore } from "../../site/store/site-store.ts";
import { siteScope } from "../../site/url-rules.ts";
import { hostOf } from "../../web/url.ts";
import { parentOf, partOfLane } from "../partition.ts";
import { localRecord, targetsOf } from "./pulled-record.ts";
import type { FleetRows } from "./pulled-rows.ts";
import type { RecordSource } from "./record-source.ts";
import { decodeSiteRecord, type StoredSiteRecord } from "./site-records.ts";

export interface PullOptions {
  rows: FleetRows;
  records: RecordSource;
  parts: number;
  config: SiteConfig;
  startUrls: string[];
  /** The database to write; it must not exist. */
  database: string;
  /** Only the pages of this host. Only its partition is read. */
  host: string | null;
}

export interface Pulled {
  urls: number;
  records: number;
  open: number;
}

/** Rows per commit of the crawl that is written. */
const BATCH = 5_000;

export async function pullSite(options: PullOptions): Promise<Pulled> {
  const pull = new Pull(options);
  try {
    return await pull.run();
  } finally {
    await pull.close();
  }
}

class Pull {
  readonly #options: PullOptions;
  readonly #store: SiteStore;
  readonly #isInternal: (url: string) => boolean;
  /** The new id of every URL, by its partition and its id there, and its state when it was numbered. */
  readonly #ids: number[][] = [];
  readonly #states: (number | null)[][] = [];
  readonly #byKey = new SeenTable();
  #nextId = 1;
  readonly #pulled: Pulled = { urls: 0, records: 0, open: 0 };
  #admitted: Admitted<SiteMeta>[] = [];
  #settled: Settled[] = [];

  constructor(options: PullOptions) {
    this.#options = options;
    const scope = siteScope(options.config, options.startUrls);
    this.#isInternal = (url) => scope.classify(url).internal;
    this.#store = sqliteSiteStore(options.database);
  }

  async run(): Promise<Pulled> {
    const { parts: count, host } = this.#options;
    const parts = host === null ? Array.from({ length: count }, (_, part) => part) : [partOfLane(host, count)];
    await this.#store.ledger.open(() => {});
    for (const part of parts) await this.#number(part);
    if (host !== null && this.#nextId === 1) {
      throw new TrawlError("BAD_USAGE", `The crawl has no page of ${host}.`, {
        hint: "Give the host as it is in its URLs, with its port unless it is the usual one.",
      });
    }
    for (const part of parts) await this.#writeUrls(part);
    for (const part of parts) await this.#writeRecords(part);
    await this.#flush();
    return this.#pulled;
  }

  close(): Promise<void> {
    return this.#store.ledger.close();
  }

  async #number(part: number): Promise<void> {
    const { rows, host } = this.#options;
    const ids: number[] = [];
    const states: (number | null)[] = [];
    for await (const { id, key, state } of rows.urls(part)) {
      if (host !== null && hostOf(key) !== host) continue;
      ids[id] = this.#nextId;
      states[id] = state;
      this.#byKey.set(key, this.#nextId++);
    }
    this.#ids[part] = ids;
    this.#states[part] = states;
  }

  async #writeUrls(part: number): Promise<void> {
    for await (const row of this.#options.rows.urls(part)) {
      const id = this.#ids[part]![row.id];
      // URLs found since the others were numbered.
      if (id === undefined) continue;
      const { key, depth, hops, reason, rule, via, kind, lane } = row;
      const from = parentOf(part, row.parent);
      const parent = from === null ? 0 : (this.#ids[from.part]?.[from.id] ?? 0);
      const verdict = { action: ACTIONS[row.verdict]!, reason, rule };
      await this.#admit({ id, place: id, key, depth, hops, parent, lane, verdict, meta: metaOf(via, kind) });
      if (verdict.action === "crawl") this.#pulled.open++;
    }
    await this.#flush();
  }

  async #writeRecords(part: number): Promise<void> {
    const { rows, records } = this.#options;
    const states = this.#states[part]!;
    const ids = states.flatMap((state, id) => ((state ?? 0) > 0 ? [id] : []));
    for await (const batch of records.batches(part, ids)) {
      const current = batch.filter(({ id, url }) => url === undefined || this.#byKey.get(url) === this.#ids[part]![id]);
      const stored = current.map(({ id, bytes }) => ({ id, ...decodeSiteRecord(bytes) }));
      for (const { id, key } of await rows.keys(part, this.#unknown(part, stored))) {
        this.#ids[part]![id] = this.#target(key);
      }
      for (const { id, record, foreign } of stored) {
        const resolve = (own: number) => (own < 0 ? this.#target(foreign[-own - 1]!) : this.#ids[part]![own]!);
        const local = localRecord(record, this.#store.texts, resolve);
        this.#settle(part, id, local);
        this.#pulled.records++;
      }
      await this.#flush();
    }
    // URLs without a record, such as a sitemap that was tried but does not exist.
    for (const id of ids) if (states[id] !== null) this.#settle(part, id, null);
    await this.#flush();
  }

  /** URLs of other hosts in this partition that the wanted host's records link to. */
  #unknown(part: number, stored: StoredSiteRecord[]): number[] {
    const ids = this.#ids[part]!;
    const unknown = new Set<number>();
    for (const { record } of stored) {
      for (const id of targetsOf(record)) if (id > 0 && ids[id] === undefined) unknown.add(id);
    }
    return [...unknown];
  }

  #settle(part: number, id: number, record: SiteRecord | null): void {
    const state = TASK_STATES[this.#states[part]![id]!] as Settled["state"];
    this.#states[part]![id] = null;
    this.#settled.push({ id: this.#ids[part]![id]!, state, verdict: null, record });
    this.#pulled.open--;
  }

  /** The id of a link's target. An unknown target is stored as a URL that was not pulled. */
  #target(key: string): number {
    const known = this.#byKey.get(key);
    if (known !== 0) return known;
    const id = this.#nextId++;
    this.#byKey.set(key, id);
    const reason = this.#isInternal(key) ? "not_pulled" : "external";
    const verdict: Verdict = { action: "record", reason, rule: null };
    const found = { key, depth: 0, parent: 0, hops: 0, meta: siteMeta("spider", "anchor") };
    this.#admitted.push({ ...found, id, place: id, lane: "", verdict });
    return id;
  }

  async #admit(admitted: Admitted<SiteMeta>): Promise<void> {
    this.#admitted.push(admitted);
    if (this.#admitted.length >= BATCH) await this.#flush();
  }

  #flush(): Promise<void> {
    const [admitted, settled] = [this.#admitted, this.#settled];
    this.#admitted = [];
    this.#settled = [];
    this.#pulled.urls += admitted.length;
    return this.#store.ledger.commit({ admitted, settled, retried: [], lanes: new Map(), notes: [] });
  }
}

interface Settled {
  id: number;
  state: "done" | "failed";
  verdict: null;
  record: SiteRecord | null;
}
