/**
 * A fleet crawl as one ordinary crawl database: its URLs and records are read by key, in short transactions, and get the ids of a
 * crawl on one machine. What no partition has decided yet is stored as a link target that was not decided.
 */
import { TASK_STATES } from "../../kernel/ledger.ts";
import { SeenTable } from "../../kernel/seen.ts";
import { ACTIONS, type Admitted } from "../../kernel/task.ts";
import { metaOf, type SiteMeta, siteMeta } from "../../site/link-kinds.ts";
import type { SiteRecord } from "../../site/site-record.ts";
import { type SiteStore, sqliteSiteStore } from "../../site/store/site-store.ts";
import { eachText } from "../../site/text-dictionary.ts";
import { CONTEXT, PATH, STORED_LINK_STRIDE, TARGET, TEXT } from "../../web/html/link-rows.ts";
import { hostOf } from "../../web/url.ts";
import { parentOf, partOfLane } from "../partition.ts";
import type { Queries } from "../postgres/connection.ts";
import { decodeSiteRecord } from "./site-records.ts";

export interface PullOptions {
  queries: Queries;
  schema: string;
  parts: number;
  /** The database to write; it must not exist. */
  database: string;
  /** Only the pages of this host, with what they link to. */
  host: string | null;
}

export interface Pulled {
  urls: number;
  records: number;
  open: number;
}

const URL_PAGE = 5_000;
const RECORD_PAGE = 200;

interface UrlRow {
  id: number;
  key: string;
  verdict: number;
  reason: string | null;
  rule: string | null;
  state: number | null;
  lane: string;
  depth: number;
  parent: number;
  via: number;
  kind: number;
  hops: number;
}

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
  /** The new id of every URL, by its partition and its id there. */
  readonly #ids: number[][] = [];
  readonly #byKey = new SeenTable();
  #nextId = 1;
  readonly #pulled: Pulled = { urls: 0, records: 0, open: 0 };
  /** Targets of the wanted pages, if only those of one host are wanted. */
  readonly #targets = new Set<number>();

  constructor(options: PullOptions) {
    this.#options = options;
    this.#store = sqliteSiteStore(options.database);
  }

  async run(): Promise<Pulled> {
    const { parts, host } = this.#options;
    await this.#store.ledger.open(() => {});
    for (let part = 0; part < parts; part++) await this.#number(part);
    const recorded = host === null ? Array.from({ length: parts }, (_, part) => part) : [partOfLane(host, parts)];
    if (host !== null) {
      for await (const { id, bytes } of this.#records(recorded[0]!)) {
        const { record, foreign } = decodeSiteRecord(bytes);
        if (this.#isWanted(id)) this.#eachTarget(record, recorded[0]!, foreign, (target) => this.#targets.add(target));
      }
    }
    for (let part = 0; part < parts; part++) await this.#writeUrls(part);
    for (const part of recorded) await this.#writeRecords(part);
    return this.#pulled;
  }

  close(): Promise<void> {
    return this.#store.ledger.close();
  }

  /** With a host: which of its partition's ids are its pages. */
  readonly #wanted = new Set<number>();
  #isWanted(id: number): boolean {
    return this.#options.host === null || this.#wanted.has(id);
  }

  async #number(part: number): Promise<void> {
    const { host, parts } = this.#options;
    const ids: number[] = [];
    const isHome = host !== null && partOfLane(host, parts) === part;
    for await (const { id, key } of this.#urls(part)) {
      ids[id] = this.#nextId;
      this.#byKey.set(key, this.#nextId++);
      if (isHome && hostOf(key) === host) this.#wanted.add(id);
    }
    this.#ids[part] = ids;
  }

  async #writeUrls(part: number): Promise<void> {
    const { host } = this.#options;
    let admitted: Admitted<SiteMeta>[] = [];
    const settled = [];
    for await (const row of this.#urls(part)) {
      const id = this.#ids[part]![row.id]!;
      const isTarget = this.#targets.has(id);
      if (host !== null && hostOf(row.key) !== host && !isTarget) continue;
      const { key, depth, hops, reason, rule, via, kind, lane } = row;
      const from = parentOf(part, row.parent);
      const parent = from === null ? 0 : (this.#ids[from.part]?.[from.id] ?? 0);
      const verdict = { action: ACTIONS[row.verdict]!, reason, rule };
      admitted.push({ id, place: id, key, depth, hops, parent, lane, verdict, meta: metaOf(via, kind) });
      const state = row.state === null ? null : TASK_STATES[row.state]!;
      if (state === "open") this.#pulled.open++;
      // A page of another host is known, but its record stays where it is.
      else if (state !== null && host !== null && hostOf(key) !== host)
        settled.push({ id, state, verdict: null, record: null });
      if (admitted.length < URL_PAGE) continue;
      await this.#commit(admitted, settled.splice(0));
      admitted = [];
    }
    await this.#commit(admitted, settled);
  }

  async #writeRecords(part: number): Promise<void> {
    const states = new Map<number, "done" | "failed">();
    for await (const { id, state } of this.#urls(part)) {
      if (state !== null && state !== 0 && this.#isWanted(id)) states.set(id, TASK_STATES[state] as "done" | "failed");
    }
    for await (const { id, bytes } of this.#records(part)) {
      const state = states.get(id);
      if (state === undefined) continue;
      states.delete(id);
      const { record, foreign } = decodeSiteRecord(bytes);
      const undecided: Admitted<SiteMeta>[] = [];
      const local = this.#localRecord(record, part, foreign, undecided);
      await this.#commit(undecided, [{ id: this.#ids[part]![id]!, state, verdict: null, record: local }]);
      this.#pulled.records++;
    }
    const rest = [...states].map(([id, state]) => ({ id: this.#ids[part]![id]!, state, verdict: null, record: null }));
    await this.#commit([], rest);
  }

  #commit(admitted: Admitted<SiteMeta>[], settled: Settled[]): Promise<void> {
    this.#pulled.urls += admitted.length;
    return this.#store.ledger.commit({ admitted, settled, retried: [], lanes: new Map(), notes: [] });
  }

  #eachTarget(record: SiteRecord, part: number, foreign: string[], each: (id: number) => void): void {
    const resolve = (id: number) => (id < 0 ? this.#byKey.get(foreign[-id - 1]!) : this.#ids[part]![id]!);
    for (let at = TARGET; at < record.links.length; at += STORED_LINK_STRIDE) each(resolve(record.links[at]!));
    for (const id of [record.page.redirect_to, record.page.canonical]) if (id) each(resolve(id as number));
  }

  /** The record with this crawl's ids of URLs and texts. */
  #localRecord(record: SiteRecord, part: number, foreign: string[], undecided: Admitted<SiteMeta>[]): SiteRecord {
    const { texts } = this.#store;
    const textIds: number[] = [0];
    eachText(record.texts, (id, text) => {
      textIds[id] = texts.id(text);
    });
    const resolve = (id: number): number => {
      if (id >= 0) return this.#ids[part]![id]!;
      const key = foreign[-id - 1]!;
      return this.#byKey.get(key) || this.#addUndecided(key, undecided);
    };
    const links = record.links.slice();
    for (let at = 0; at < links.length; at += STORED_LINK_STRIDE) {
      links[at + TARGET] = resolve(links[at + TARGET]!);
      for (const column of [TEXT, CONTEXT, PATH]) links[at + column] = textIds[links[at + column]!]!;
    }
    const { redirect_to: redirect, canonical } = record.page as {
      redirect_to: number | null;
      canonical: number | null;
    };
    const page = {
      ...record.page,
      redirect_to: redirect === null ? null : resolve(redirect),
      canonical: canonical === null ? null : resolve(canonical),
    };
    return { ...record, page, links, texts: texts.takeFresh() };
  }

  #addUndecided(key: string, undecided: Admitted<SiteMeta>[]): number {
    const id = this.#nextId++;
    this.#byKey.set(key, id);
    const verdict = { action: "record", reason: null, rule: "not decided yet when the fleet was pulled" } as const;
    const found = { key, depth: 0, parent: 0, hops: 0, meta: siteMeta("spider", "anchor") };
    undecided.push({ ...found, id, place: id, lane: "", verdict });
    return id;
  }

  async *#urls(part: number): AsyncGenerator<UrlRow> {
    const { queries, schema } = this.#options;
    for (let after = 0; ; ) {
      const rows = await queries.query<UrlRow>(
        `SELECT id, key, verdict, reason, rule, state, lane, depth, parent::float8 AS parent, via, kind, hops
         FROM ${schema}.urls WHERE part = $1 AND id > $2 ORDER BY id LIMIT ${URL_PAGE}`,
        [part, after],
      );
      yield* rows;
      if (rows.length < URL_PAGE) return;
      after = rows.at(-1)!.id;
    }
  }

  async *#records(part: number): AsyncGenerator<{ id: number; bytes: Uint8Array }> {
    const { queries, schema } = this.#options;
    for (let after = 0; ; ) {
      const rows = await queries.query<{ id: number; bytes: Uint8Array }>(
        `SELECT id, bytes FROM ${schema}.records WHERE part = $1 AND id > $2 ORDER BY id LIMIT ${RECORD_PAGE}`,
        [part, after],
      );
      yield* rows;
      if (rows.length < RECORD_PAGE) return;
      after = rows.at(-1)!.id;
    }
  }
}

type Settled = { id: number; state: "done" | "failed"; verdict: null; record: SiteRecord | null };
