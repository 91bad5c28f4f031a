/** Whose key counts, as a follower asks for it: from the table, else from the directory at its own pace, each DID once at a time. */

import { join } from "node:path";
import { type Clock, sleep } from "../../kernel/clock.ts";
import type { HttpClient } from "../../net/client.ts";
import type { AtprotoConfig } from "../atproto-config.ts";
import { IDENTITY_FOLDER } from "../folder-files.ts";
import { DidResolver, isWebDid } from "../identity/did.ts";
import { Identities, type Identity } from "../identity/identities.ts";
import { SourceClient, SourceError } from "../sources/source-client.ts";

export interface FollowIdentitiesOptions {
  config: AtprotoConfig;
  client: HttpClient;
  clock: Clock;
  signal: AbortSignal;
}

const HOUR_MS = 60 * 60_000;
const WEB_PATIENCE_MS = 20_000;
/** How long the stream waits for the document of a did:web: anyone can name a host that never answers. The repo is fetched instead. */
const WEB_WAIT_MS = 2_000;
/** With so many that do not answer in time, the stream waits for none. */
const MOST_LATE = 16;
/** How long such a DID rests: whoever sends forged commits must not have us ask the directory for each. */
const REST_MS = 10 * 60_000;
const MOST_RESTING = 100_000;

export class FollowIdentities {
  readonly #options: FollowIdentitiesOptions;
  readonly #identities: Identities;
  readonly #resolver: DidResolver;
  readonly #asking = new Map<string, Promise<Identity | null>>();
  /** DIDs that are not asked for again for a while: their document could not be read, or was renewed. With the time. */
  readonly #resting = new Map<string, number>();
  /** did:web documents that the stream no longer waits for. */
  readonly #late = new Set<string>();
  #nextTurn = 0;
  lookups = 0;

  constructor(options: FollowIdentitiesOptions) {
    const { config, client, clock, signal } = options;
    this.#options = options;
    this.#identities = new Identities({
      folder: join(config.outputDir, IDENTITY_FOLDER),
      maxAgeMs: config.identityMaxAge * HOUR_MS,
      now: () => clock.now(),
    });
    const fetch: HttpClient["fetch"] = (request) => client.fetch(request);
    const plc = new SourceClient({ fetch, turn: () => this.#turn(), clock, signal, attempts: 3 });
    const done = { done: () => {} };
    const web = new SourceClient({
      fetch,
      turn: async () => done,
      clock,
      signal,
      attempts: 2,
      patienceMs: WEB_PATIENCE_MS,
    });
    this.#resolver = new DidResolver({ client: plc, webClient: web, plcUrl: config.plcUrl.replace(/\/+$/, "") });
  }

  get identities(): Identities {
    return this.#identities;
  }

  /** Null when nobody answers for it. */
  find(did: string): Identity | null | Promise<Identity | null> {
    return this.#identities.find(did) ?? (this.#isResting(did) ? null : this.#lookUp(did));
  }

  /** The same for the stream, which nobody may hold up. */
  findSoon(did: string): Identity | null | Promise<Identity | null> {
    return this.#identities.find(did) ?? (this.#isResting(did) ? null : this.#soon(did, () => this.#lookUp(did)));
  }

  /** Asks once more, because a signature did not match; null when that was done a short while ago, or nobody answers. */
  async renew(did: string): Promise<Identity | null> {
    if (this.#isResting(did)) return this.#asking.get(did) ?? null;
    this.#rest(did);
    return this.#soon(did, () => this.#lookUp(did));
  }

  /** The document has changed, says the stream: it is asked for now. */
  changed(did: string): void {
    this.#resting.delete(did);
    if (this.#identities.find(did) !== null) void this.#lookUp(did);
  }

  close(): void {
    this.#identities.close();
  }

  async #soon(did: string, ask: () => Promise<Identity | null>): Promise<Identity | null> {
    if (!isWebDid(did)) return ask();
    if (this.#late.has(did) || this.#late.size >= MOST_LATE) return null;
    const asking = ask();
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const cancel = this.#options.clock.after(WEB_WAIT_MS, () => {
      this.#late.add(did);
      asking.finally(() => this.#late.delete(did)).catch(() => {});
      resolve(null);
    });
    return Promise.race([asking, late]).finally(cancel);
  }

  #lookUp(did: string): Promise<Identity | null> {
    const running = this.#asking.get(did);
    if (running !== undefined) return running;
    this.lookups++;
    const asking = this.#identities
      .lookUp(did, this.#resolver)
      .catch((error) => {
        if (!(error instanceof SourceError) && !this.#options.signal.aborted) throw error;
        this.#rest(did);
        return null;
      })
      .finally(() => this.#asking.delete(did));
    this.#asking.set(did, asking);
    return asking;
  }

  #isResting(did: string): boolean {
    return this.#options.clock.now() - (this.#resting.get(did) ?? Number.NEGATIVE_INFINITY) < REST_MS;
  }

  #rest(did: string): void {
    this.#resting.delete(did);
    if (this.#resting.size >= MOST_RESTING) this.#resting.delete(this.#resting.keys().next().value!);
    this.#resting.set(did, this.#options.clock.now());
  }

  /** The directory is asked no faster than `plcRps`. */
  async #turn(): Promise<{ done: () => void }> {
    const { clock, config, signal } = this.#options;
    const now = clock.now();
    const at = Math.max(now, this.#nextTurn);
    this.#nextTurn = at + 1000 / config.plcRps;
    if (at > now) await sleep(clock, at - now, signal);
    return { done: () => {} };
  }
}
