/**
 * Fetches the repos that are marked, from the hosts that their documents name: what changed since the stored rev where that is
 * enough, else whole. What is fetched is verified like any repo, and appended to the segments of the archive.
 */
import { type Clock, sleep } from "../../kernel/clock.ts";
import type { HttpClient } from "../../net/client.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import type { HttpResponse } from "../../net/http-types.ts";
import type { AtprotoConfig } from "../atproto-config.ts";
import { CarDisk } from "../car-disk.ts";
import { findProven } from "../catalogue/find-repo.ts";
import { skipRule } from "../did-feed.ts";
import { classifyAnswer, failureOfFetch, type RepoFailure } from "../error-classes.ts";
import { normaliseEndpoint } from "../identity/did.ts";
import type { Identity } from "../identity/identities.ts";
import { signedCar } from "../rca/repair/signed-car.ts";
import { SegmentWriter } from "../rca/write/segment-writer.ts";
import { ParsePool } from "../repo/parse-pool.ts";
import { RepoParseError } from "../repo/parsed-repo.ts";
import type { PreparedRepo } from "../repo/prepare-repo.ts";
import { CarBudget, type CarShare, repoRequest } from "../repo-client.ts";
import type { FollowIdentities } from "./follow-identities.ts";
import type { FollowState, Mark } from "./follow-state.ts";
import { unionCar } from "./union-car.ts";

export interface GapCloserOptions {
  config: AtprotoConfig;
  client: HttpClient;
  identities: FollowIdentities;
  state: FollowState;
  clock: Clock;
  random: () => number;
  signal: AbortSignal;
}

export interface ClosingRound {
  closed: number;
  failed: number;
}

/** Marks of one round, and repos fetched at once. One host gets one request at a time, at the rate of a small host. */
const MOST_OF_A_ROUND = 1_000;
const WORKERS = 8;
const HOST_INTERVAL_MS = 500;
/** What their CARs take together, unless one alone may take more. */
const MOST_CAR_BYTES = 128 * 2 ** 20;

export class GapCloser {
  readonly #options: GapCloserOptions;
  readonly #isSkipped: (origin: string) => boolean;
  readonly #budget: CarBudget;
  /** A repo of 100 MB takes more than a second: the stream must not wait for it. */
  readonly #pool: ParsePool;
  /** When each host may be asked next. */
  readonly #hosts = new Map<string, number>();
  closed = 0;
  failed = 0;
  /** Bytes that came, and how many repos were made from changes alone. */
  bytes = 0;
  fromChanges = 0;

  constructor(options: GapCloserOptions) {
    this.#options = options;
    this.#isSkipped = skipRule(options.config.skipPds);
    this.#budget = new CarBudget(options.config.maxRepoSize, new CarDisk(options.config.outputDir), MOST_CAR_BYTES);
    this.#pool = new ParsePool({ random: options.random, threads: 1 });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** All that is due now. Resolves when they are on the disk, or put off. */
  async round(): Promise<ClosingRound> {
    const { state, clock, config, signal } = this.#options;
    const due = state.dueMarks(clock.now(), MOST_OF_A_ROUND).filter((mark) => !this.#isSatisfied(mark));
    const [closed, failed] = [this.closed, this.failed];
    if (due.length === 0) return { closed: 0, failed: 0 };
    const writer = new SegmentWriter({
      folder: config.outputDir,
      targetBytes: config.segmentSize,
      proofs: config.proofs !== "none",
      now: () => clock.now(),
    });
    const work = async (): Promise<void> => {
      for (let mark = due.shift(); mark !== undefined && !signal.aborted; mark = due.shift())
        await this.#close(mark, writer);
    };
    try {
      await Promise.all(Array.from({ length: WORKERS }, work));
    } finally {
      await writer.close();
      this.#forgetHosts();
    }
    return { closed: this.closed - closed, failed: this.failed - failed };
  }

  /** What was behind may have caught up by itself: the events came a little later than the list. */
  #isSatisfied({ did, reason, rev }: Mark): boolean {
    const { state } = this.#options;
    const { rev: followed, fetched } = state.account(did) ?? {};
    if (reason !== "behind" || ((followed ?? "") < rev && (fetched ?? "") < rev)) return false;
    state.unmark(did);
    return true;
  }

  async #close(mark: Mark, writer: SegmentWriter): Promise<void> {
    const { state, signal } = this.#options;
    const result = await this.#fetchWithin(mark).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (result === null) return;
    if ("class" in result) return this.#postpone(mark, `${result.class}: ${result.detail ?? ""}`);
    const { fetched = null } = state.account(mark.did) ?? {};
    const isEnough = result.rev >= mark.rev;
    if (isEnough || fetched === null || result.rev > fetched) {
      await writer.append(result.block, result.proof);
      state.stored(mark.did, result.rev);
    }
    // A rev that only a list names may not exist; one that was signed does, and its host has yet to catch up.
    if (!isEnough && mark.reason !== "behind") return this.#postpone(mark, `its host has only rev ${result.rev}`);
    state.unmark(mark.did);
    this.closed++;
  }

  #postpone(mark: Mark, detail: string): void {
    this.failed++;
    this.#options.state.postpone(mark, this.#options.clock.now(), detail.slice(0, 300));
  }

  /** When its CAR finds no room in memory or on the disk, it is fetched again once memory has room for the largest. */
  async #fetchWithin(mark: Mark): Promise<PreparedRepo | RepoFailure> {
    const { signal } = this.#options;
    {
      using share = await this.#budget.open("usual", signal);
      const result = await this.#fetchRepo(mark, share);
      if (!share.isRefused) return result;
    }
    using share = await this.#budget.open("largest", signal);
    return await this.#fetchRepo(mark, share);
  }

  async #fetchRepo({ did }: Mark, share: CarShare): Promise<PreparedRepo | RepoFailure> {
    const { identities, config } = this.#options;
    const identity = await identities.find(did);
    if (identity === null) return failed("unresolved", "its document could not be read");
    if (identity.pds === null) return failed("not_found", "its document names no PDS");
    const { origin, refused } = normaliseEndpoint(identity.pds, config.allowPrivate);
    if (origin === null) return failed("unresolved", `its PDS is not asked: ${refused}`);
    if (this.#isSkipped(origin)) return failed("unavailable", "--skip-pds leaves out its PDS");
    const stored = await this.#storedCar(did);
    const whole = () => this.#request(origin, did, null, share);
    const answer = await this.#request(origin, did, stored?.rev ?? null, share);
    if ("class" in answer) return stored === null ? answer : this.#prepared(did, origin, identity, await whole(), null);
    const made = await this.#prepared(did, origin, identity, answer, stored?.car ?? null);
    if (!("class" in made)) {
      if (stored !== null) this.fromChanges++;
      return made;
    }
    // The changes do not fit to what is stored, or the host does not give changes as it should.
    if (stored !== null) return this.#prepared(did, origin, identity, await whole(), null);
    return made;
  }

  /** What the archive has of it, as the CAR that was signed. */
  async #storedCar(did: string): Promise<{ rev: string; car: Buffer } | null> {
    const ignore = (): void => {};
    const found = await findProven(this.#options.config.outputDir, did, ignore).catch(() => null);
    const car = found === null || found.repo.rev === "" ? null : signedCar(found.proof);
    return car === null ? null : { rev: found!.repo.rev, car };
  }

  async #request(
    origin: string,
    did: string,
    since: string | null,
    share: CarShare,
  ): Promise<HttpResponse | RepoFailure> {
    const { client, clock, config, signal } = this.#options;
    await this.#turn(origin);
    const request = repoRequest(origin, did);
    const url = since === null ? request.url : `${request.url}&since=${encodeURIComponent(since)}`;
    try {
      const mayGrow = (bytes: number) => share.grow(bytes);
      const response = await client.fetch({ ...request, url, signal, mayGrow, overflow: () => share.overflow() });
      this.bytes += response.wireBytes;
      const failure = classifyAnswer(response, config.maxRepoSize, clock.now());
      if (failure?.forMs) this.#hosts.set(origin, clock.now() + failure.forMs);
      return failure ?? response;
    } catch (error) {
      if (!(error instanceof FetchError) || signal.aborted) throw error;
      return failureOfFetch(error);
    }
  }

  async #prepared(
    did: string,
    pds: string,
    { signingKey }: Identity,
    answer: HttpResponse | RepoFailure,
    stored: Buffer | null,
  ): Promise<PreparedRepo | RepoFailure> {
    if ("class" in answer) return answer;
    const { config, clock, signal } = this.#options;
    const car = stored === null ? answer.body : unionCar(answer.body, stored);
    // The pool takes over what it is given, and another key may be tried.
    const prepare = (key: string | null) =>
      this.#pool.prepare(
        Buffer.from(car),
        {
          did,
          pds,
          verify: config.verify,
          ...(key !== null && { signingKey: key }),
          json: config.json,
          cids: config.proofs === "cids",
          blocks: config.proofs === "blocks",
          crawledAt: BigInt(Math.floor(clock.now() * 1000)),
          zstdLevel: config.zstdLevel,
        },
        signal,
      );
    try {
      return await prepare(signingKey);
    } catch (error) {
      if (!(error instanceof RepoParseError)) throw error;
      const renewed = error.class === "bad_signature" ? await this.#options.identities.renew(did) : null;
      if (renewed === null || renewed.signingKey === signingKey) return failed(error.class, error.message);
      try {
        return await prepare(renewed.signingKey);
      } catch (again) {
        if (again instanceof RepoParseError) return failed(again.class, again.message);
        throw again;
      }
    }
  }

  async #turn(origin: string): Promise<void> {
    const { clock, signal } = this.#options;
    const now = clock.now();
    const at = Math.max(now, this.#hosts.get(origin) ?? 0);
    this.#hosts.set(origin, at + HOST_INTERVAL_MS);
    if (at > now) await sleep(clock, at - now, signal);
    signal.throwIfAborted();
  }

  #forgetHosts(): void {
    const now = this.#options.clock.now();
    for (const [origin, at] of this.#hosts) if (at <= now) this.#hosts.delete(origin);
  }
}

const failed = (name: RepoFailure["class"], detail: string): RepoFailure => ({
  class: name,
  detail,
  mayPass: true,
  forMs: null,
});
