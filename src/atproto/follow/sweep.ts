/**
 * Reconciliation: reads the list of all repos that the source has, and compares each rev with what is stored. What is behind is
 * marked, to be fetched. A lap goes on where it was after a restart.
 */
import { z } from "zod";
import { type Clock, sleep } from "../../kernel/clock.ts";
import type { HttpClient } from "../../net/client.ts";
import { Catalogue, catalogueFolder } from "../catalogue/catalogue.ts";
import { isDid } from "../identity/did.ts";
import { LONGEST_REV } from "../repo/parsed-repo.ts";
import { CursorCircle } from "../sources/cursor-circle.ts";
import { SourceClient, SourceError } from "../sources/source-client.ts";
import type { FollowState } from "./follow-state.ts";

export interface SweepOptions {
  /** Of the relay or PDS that lists the repos. */
  origin: string;
  archive: string;
  client: HttpClient;
  state: FollowState;
  clock: Clock;
  signal: AbortSignal;
  /** Pages per second. */
  rps: number;
}

export interface Lap {
  /** Unix ms. */
  startedAt: number;
  endedAt: number | null;
  /** Repos that were compared so far. */
  listed: number;
  /** Of those, how many had a newer rev than what is stored. */
  behind: number;
  /** Of those, how many the archive has never had: a crawl fetches them. */
  unknown: number;
}

interface SavedLap extends Lap {
  cursor: string | null;
}

const NOTE = "lap";
const LAST_NOTE = "last lap";
/** A host that lists on and on must not keep the sweep for ever. */
const MOST_ACCOUNTS = 500_000_000;

export class Sweep {
  readonly #options: SweepOptions;
  #nextTurn = 0;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /** The lap that is under way; null between laps. */
  get lap(): Lap | null {
    return read(this.#options.state, NOTE);
  }

  /** The last one that was read to its end. */
  get lastLap(): Lap | null {
    return read(this.#options.state, LAST_NOTE);
  }

  /** One lap, or the rest of one. Rejects with a SourceError when the list cannot be read; the next try goes on there. */
  async run(): Promise<Lap> {
    const { origin, client, clock, signal, state, archive } = this.#options;
    const lap: SavedLap = read(state, NOTE) ?? begin(clock.now());
    const fetch: HttpClient["fetch"] = (request) => client.fetch(request);
    const source = new SourceClient({ fetch, turn: () => this.#turn(), clock, signal, attempts: 3 });
    const catalogue = new Catalogue(catalogueFolder(archive));
    const circle = new CursorCircle();
    try {
      for (let isOver = false; !isOver; ) {
        const { repos, next } = await readPage(origin, source, lap.cursor);
        catalogue.refresh();
        for (const { did, rev } of repos) this.#compare(did, rev, lap, catalogue);
        isOver = next === null || circle.closes(next) || repos.length === 0 || lap.listed >= MOST_ACCOUNTS;
        lap.cursor = next;
        this.#save(lap, NOTE);
        signal.throwIfAborted();
      }
    } finally {
      catalogue.close();
    }
    lap.endedAt = clock.now();
    this.#save(lap, LAST_NOTE);
    state.note(NOTE, "");
    return lap;
  }

  #compare(did: string, rev: string, lap: SavedLap, catalogue: Catalogue): void {
    const { state, clock } = this.#options;
    if (!isDid(did) || rev.length > LONGEST_REV) return;
    lap.listed++;
    const { rev: followed, fetched } = state.account(did) ?? {};
    const known = [followed, fetched, catalogue.get(did)?.rev].filter((one) => typeof one === "string");
    if (known.length === 0) lap.unknown++;
    else if (known.every((one) => one < rev)) {
      lap.behind++;
      state.mark(did, "behind", rev, clock.now());
    }
  }

  #save(lap: SavedLap, key: string): void {
    this.#options.state.note(key, JSON.stringify(lap));
  }

  async #turn(): Promise<{ done: () => void }> {
    const { clock, signal, rps } = this.#options;
    const now = clock.now();
    const at = Math.max(now, this.#nextTurn);
    this.#nextTurn = at + 1000 / rps;
    if (at > now) await sleep(clock, at - now, signal);
    return { done: () => {} };
  }
}

const PAGE_SIZE = 1_000;
const Page = z.object({ cursor: z.string().nullish(), repos: z.array(z.unknown()) });
const Listed = z.object({ did: z.string(), rev: z.string() });

/** Entries are read one by one: a single broken one must not cost the page. */
async function readPage(
  origin: string,
  client: SourceClient,
  cursor: string | null,
): Promise<{ repos: z.infer<typeof Listed>[]; next: string | null }> {
  const query = new URLSearchParams({ limit: `${PAGE_SIZE}`, ...(cursor !== null && { cursor }) });
  const answer = Page.safeParse(await client.json(`${origin}/xrpc/com.atproto.sync.listRepos?${query}`));
  if (!answer.success) throw new SourceError(`${origin} does not list its repos`, 200);
  const repos = answer.data.repos.flatMap((written) => {
    const listed = Listed.safeParse(written);
    return listed.success ? [listed.data] : [];
  });
  return { repos, next: answer.data.cursor || null };
}

const begin = (startedAt: number): SavedLap => ({
  startedAt,
  endedAt: null,
  listed: 0,
  behind: 0,
  unknown: 0,
  cursor: null,
});

function read(state: FollowState, key: string): SavedLap | null {
  const value = state.getNote(key);
  return value === null || value === "" ? null : (JSON.parse(value) as SavedLap);
}
