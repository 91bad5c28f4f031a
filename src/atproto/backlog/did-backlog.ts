/**
 * The DIDs between the sources and the kernel, by host. A host gets its next tasks when it has few open ones, no matter how
 * many others wait, and sources are read while any host is idle. So a host with half of all DIDs does not starve the others.
 */
import { cursorNote } from "../../kernel/ledger.ts";
import type { CrawlContext } from "../../kernel/product.ts";
import type { Found } from "../../kernel/task.ts";
import type { DidMeta } from "../did-feed.ts";
import type { Demand } from "../sources/did-page.ts";
import { HostSpool } from "./host-spool.ts";
import { PageCursors } from "./page-cursors.ts";

/** A page of a source, with those of its DIDs that this crawl fetches or settles. */
export interface FeedPage {
  source: string;
  cursor: string | null;
  founds: Found<DidMeta>[];
}

export interface DidBacklogOptions {
  /** The scratch file. */
  path: string;
  /** Read one after another. */
  sources: ((context: CrawlContext) => AsyncIterable<FeedPage>)[];
  /** How many DIDs may wait; beyond that, sources are read only when hosts are idle. */
  ahead: number;
  /** False while the crawl is paused. */
  mayRead: () => boolean;
}

/** Open tasks of a host: at ten requests per second, it gets more when it has work for six seconds. */
const FEW_OPEN = 64;
const MOST_OPEN = 128;
/** DIDs passed to the kernel at once. */
const BATCH = 5_000;
/**
 * A host is asked for the next page of its list when it has fewer tasks than this, because each page takes the turn of
 * a repo.
 */
const LIST_BELOW = 2_000;

/** While fewer hosts than this have work, reading on may find others: the network has a few thousand. */
const ENOUGH_HOSTS = 1_000;

/** What to ask the host before fetching a repo, as one character. */
const QUESTIONS = " ?+&";
const questionsOf = ({ asksRev, asksSignal }: DidMeta): string => QUESTIONS[(asksRev ? 1 : 0) + (asksSignal ? 2 : 0)]!;

/** A DID in the spool: its page, what to ask its host, and the DID itself. */
const lineOf = (page: number, { key, meta }: Found<DidMeta>): string =>
  `${page.toString(36)}${questionsOf(meta)}${key}`;

interface Batch {
  founds: Found<DidMeta>[];
  pages: number[];
}

export class DidBacklog {
  readonly #options: DidBacklogOptions;
  readonly #spool: HostSpool;
  readonly #cursors = new PageCursors();
  /** By host, and by what to ask it. */
  readonly #metas = new Map<string, Map<string, DidMeta>>();
  /** Hosts that have few open tasks and more in the spool. */
  readonly #hungry = new Set<string>();
  /** Hosts of this crawl that have nothing to do. */
  readonly #idle = new Set<string>();
  /** Hosts whose list is not read further for now. */
  readonly #declined = new Set<string>();
  /** DIDs that need no host. */
  #direct: Batch = { founds: [], pages: [] };
  /** Null until the kernel pulls: tasks may be settled, and hosts asked, before it does. */
  #context: CrawlContext | null = null;
  #isRead = false;
  #error: unknown = null;
  #changed = Promise.withResolvers<void>();
  #demandChanged = Promise.withResolvers<void>();

  constructor(options: DidBacklogOptions) {
    this.#options = options;
    this.#spool = new HostSpool(options.path);
  }

  /** DIDs that were read and not passed to the kernel. */
  get size(): number {
    return this.#spool.size + this.#direct.founds.length;
  }

  /** Which hosts should list more of their repos. */
  readonly demand: Demand = {
    isWanted: (origin) => {
      // A source that asks after the end is refused by the lane, and ends.
      if (this.#context?.signal.aborted) return true;
      if (!this.#options.mayRead()) return false;
      const isWanted = this.#loadOf(origin) < LIST_BELOW;
      if (!isWanted) this.#declined.add(origin);
      return isWanted;
    },
    changed: () => this.#demandChanged.promise,
  };

  /** The source that the kernel pulls. */
  async *founds(context: CrawlContext): AsyncGenerator<Found<DidMeta>[]> {
    this.#context = context;
    context.signal.addEventListener("abort", () => this.nudge(), { once: true });
    this.#readAll(context).catch((error) => {
      this.#error = error;
      this.nudge();
    });
    for (;;) {
      if (this.#error !== null) throw this.#error;
      context.signal.throwIfAborted();
      const batch = this.#take(context);
      if (batch.founds.length > 0) {
        yield batch.founds;
        this.#admitted(context, batch);
      } else if (this.#isRead && this.size === 0) return;
      else await this.#changed.promise;
    }
  }

  /** A task of this host was settled. */
  settled(host: string): void {
    const open = this.#context?.openOf(host) ?? 0;
    const waiting = this.#spool.sizeOf(host);
    if (this.#declined.has(host) && open + waiting < LIST_BELOW) {
      this.#declined.delete(host);
      this.#tellDemand();
    }
    if (waiting > 0 && open <= FEW_OPEN) this.#hungry.add(host);
    else if (open === 0) this.#idle.add(host);
    else return;
    this.#tell();
  }

  /** The crawl continues, or ends. */
  nudge(): void {
    this.#tell();
    this.#tellDemand();
  }

  /** Nothing is kept: the next crawl reads again whatever is not settled. */
  close(): void {
    this.#spool.close();
  }

  async #readAll(context: CrawlContext): Promise<void> {
    for (const source of this.#options.sources) {
      for await (const page of source(context)) {
        this.#put(context, page);
        while (!context.signal.aborted && !this.#hasRoom()) await this.#changed.promise;
        if (context.signal.aborted) return;
      }
    }
    this.#isRead = true;
    this.#tell();
  }

  #hasRoom(): boolean {
    const { ahead, mayRead } = this.#options;
    return mayRead() && (this.#spool.size < ahead || this.#idle.size > 0 || this.#spool.hosts < ENOUGH_HOSTS);
  }

  #put(context: CrawlContext, { source, cursor, founds }: FeedPage): void {
    const page = this.#cursors.add(source, cursor, founds.length);
    for (const found of founds) {
      const { pds, refusal } = found.meta;
      if (pds === null || refusal !== null) {
        this.#direct.founds.push(found);
        this.#direct.pages.push(page);
        continue;
      }
      this.#spool.push(pds, lineOf(page, found));
      this.#remember(pds, found.meta);
      this.#idle.delete(pds);
      if (context.openOf(pds) <= FEW_OPEN) this.#hungry.add(pds);
    }
    if (founds.length === 0) this.#passOn(context, page);
    else this.#tell();
  }

  #take(context: CrawlContext): Batch {
    const { founds, pages } = this.#direct;
    this.#direct = { founds: [], pages: [] };
    for (const host of this.#hungry) {
      if (founds.length >= BATCH) break;
      this.#hungry.delete(host);
      const room = MOST_OPEN - context.openOf(host);
      for (const line of this.#spool.take(host, Math.max(0, room))) {
        const at = line.search(/[ ?+&]/);
        pages.push(Number.parseInt(line.slice(0, at), 36));
        const meta = this.#metas.get(host)!.get(line[at]!)!;
        founds.push({ key: line.slice(at + 1), depth: 0, parent: 0, hops: 0, meta });
      }
    }
    return { founds, pages };
  }

  /** They have been admitted by now, so the cursor comes in the same commit or a later one. */
  #admitted(context: CrawlContext, { founds, pages }: Batch): void {
    for (const page of pages) this.#cursors.admitted(page);
    for (const page of new Set(pages)) this.#passOn(context, page);
    // Another source had admitted some of them before, so their hosts have fewer tasks than were passed on.
    for (const host of new Set(founds.map(({ meta }) => meta.pds))) if (host !== null) this.settled(host);
  }

  #passOn(context: CrawlContext, page: number): void {
    const free = this.#cursors.free(page);
    if (free !== null) context.note(cursorNote(free.source, free.cursor));
  }

  #remember(host: string, meta: DidMeta): void {
    const metas = this.#metas.get(host) ?? new Map<string, DidMeta>();
    this.#metas.set(host, metas.set(questionsOf(meta), meta));
  }

  #loadOf(host: string): number {
    return this.#spool.sizeOf(host) + (this.#context?.openOf(host) ?? 0);
  }

  #tell(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }

  #tellDemand(): void {
    const { resolve } = this.#demandChanged;
    this.#demandChanged = Promise.withResolvers<void>();
    resolve();
  }
}
