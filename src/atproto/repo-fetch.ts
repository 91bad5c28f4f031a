/** One attempt at one repo: asks for its rev where that may save a fetch, fetches what changed or everything, and prepares it. */
import type { Clock } from "../kernel/clock.ts";
import type { CrawlContext } from "../kernel/product.ts";
import type { Task } from "../kernel/task.ts";
import { FetchError } from "../net/fetch-errors.ts";
import type { HttpRequest, HttpResponse } from "../net/http-types.ts";
import type { AtprotoConfig } from "./atproto-config.ts";
import type { CrawlMetrics } from "./atproto-metrics.ts";
import type { DidMeta } from "./did-feed.ts";
import { classifyAnswer, failure, failureOfFetch, type RepoFailure } from "./error-classes.ts";
import type { Identity } from "./identity/identities.ts";
import type { ParsePool } from "./repo/parse-pool.ts";
import { RepoParseError } from "./repo/parsed-repo.ts";
import type { PreparedRepo } from "./repo/prepare-repo.ts";
import { type CarShare, repoRequest } from "./repo-client.ts";
import {
  describedCollections,
  describeRequest,
  latestCommitRequest,
  latestRev,
  type StoredRevision,
} from "./repo-update.ts";
import { SourceError } from "./sources/source-client.ts";

export interface RepoFetchOptions {
  config: AtprotoConfig;
  fetch: (request: HttpRequest) => Promise<HttpResponse>;
  pool: Pick<ParsePool, "prepare">;
  /** What is known about an account; null when it has to be looked up. */
  identity: (did: string) => Identity | null;
  /** Rejects with a SourceError when there is no answer. */
  lookUp: (did: string, context: CrawlContext) => Promise<Identity>;
  /** What an earlier archive has of it. */
  stored: (did: string) => StoredRevision | null;
  metrics: CrawlMetrics;
  clock: Clock;
}

/**
 * Why a repo is not fetched after its host was asked: it has not changed since the earlier archive, or has nothing in the wanted
 * collections.
 */
export type PassedOver = "unchanged" | "no_signal";
export const isPassedOver = (result: unknown): result is PassedOver => typeof result === "string";

/** One fetch of one repo. */
interface Fetching {
  host: string;
  task: Task<DidMeta>;
  share: CarShare;
  signingKey: string | null;
}

export class RepoFetch {
  readonly #options: RepoFetchOptions;

  constructor(options: RepoFetchOptions) {
    this.#options = options;
  }

  /** Null when there was no room for the CAR. */
  async attempt(
    host: string,
    task: Task<DidMeta>,
    share: CarShare,
    context: CrawlContext,
  ): Promise<PreparedRepo | RepoFailure | PassedOver | null> {
    const { config, stored } = this.#options;
    try {
      const passed = await this.#passedOver(host, task, context);
      if (passed !== null) return passed;
      const signingKey = config.verify === "full" ? await this.#signingKey(task.key, context) : null;
      if (config.verify === "full" && signingKey === null)
        return failure("bad_signature", "its DID document has no signing key of a known type");
      const before = stored(task.key);
      const sections = (await before?.sections()) ?? null;
      const fetching = { host, task, share, signingKey };
      if (sections !== null) {
        const updated = await this.#fetchChanges(fetching, before!.rev, sections, context);
        if (updated !== null) return updated;
        await context.pace(host);
      }
      return await this.#fetchWhole(fetching, context);
    } catch (error) {
      if (error instanceof RepoParseError) return failure(error.class, error.message);
      // A directory that does not answer is not the fault of the host, which sent the repo: its lane must not slow down.
      if (error instanceof SourceError) return failure("unresolved", `its document: ${error.message}`);
      throw error;
    }
  }

  /** What small questions to the host say: why the repo need not be fetched; null when it has to be. */
  async #passedOver(
    host: string,
    task: Task<DidMeta>,
    context: CrawlContext,
  ): Promise<PassedOver | RepoFailure | null> {
    const { config, stored } = this.#options;
    const { asksRev, asksSignal } = task.meta;
    if (asksSignal) {
      const named = await this.#ask(describeRequest(host, task.key), describedCollections, context.signal);
      if (named !== null && "class" in named) return named;
      if (named !== null && !config.signalCollection.some((name) => named.includes(name))) return "no_signal";
      await context.pace(host);
    }
    const before = asksRev ? stored(task.key) : null;
    if (before === null) return null;
    const rev = await this.#ask(latestCommitRequest(host, task.key), latestRev, context.signal);
    if (typeof rev === "string" && before.includes(rev)) return "unchanged";
    if (rev !== null && typeof rev !== "string") return rev;
    await context.pace(host);
    return null;
  }

  /** What `read` makes of the answer; null when the host does not know the method: it may still send the repo. */
  async #ask<T>(
    request: HttpRequest,
    read: (body: Buffer) => T | null,
    signal: AbortSignal,
  ): Promise<T | RepoFailure | null> {
    const { fetch, config, metrics, clock } = this.#options;
    const begun = clock.now();
    try {
      const response = await fetch({ ...request, signal });
      metrics.request(`${response.status}`, (clock.now() - begun) / 1000);
      const said = response.status === 200 ? read(response.body) : null;
      if (said !== null) return said;
      const failed = classifyAnswer(response, config.maxRepoSize, clock.now());
      return failed === null || failed.class === "http_error" || failed.class === "redirected" ? null : failed;
    } catch (error) {
      if (!(error instanceof FetchError) || signal.aborted) throw error;
      metrics.request("error", (clock.now() - begun) / 1000);
      return failureOfFetch(error);
    }
  }

  /** Null when what the host sent does not make a repo together with what is stored: all of it is fetched. */
  async #fetchChanges(
    fetching: Fetching,
    since: string,
    sections: Buffer,
    context: CrawlContext,
  ): Promise<PreparedRepo | RepoFailure | null> {
    const { host, task, share } = fetching;
    const answer = await this.#fetch(repoRequest(host, task.key, since), share, context.signal);
    if (answer === null || ("class" in answer && answer.class !== "http_error")) return answer;
    if ("class" in answer || !share.settle(answer.body.length + sections.length)) return null;
    try {
      return await this.#prepare(Buffer.concat([answer.body, sections]), fetching, context);
    } catch (error) {
      if (error instanceof RepoParseError) return null;
      throw error;
    }
  }

  async #fetchWhole(fetching: Fetching, context: CrawlContext): Promise<PreparedRepo | RepoFailure | null> {
    const { host, task, share } = fetching;
    const answer = await this.#fetch(repoRequest(host, task.key), share, context.signal);
    return answer === null || "class" in answer ? answer : this.#prepare(answer.body, fetching, context);
  }

  #prepare(car: Buffer, { host, task, signingKey }: Fetching, { signal }: CrawlContext): Promise<PreparedRepo> {
    const { config, pool, clock } = this.#options;
    const options = {
      did: task.key,
      pds: host,
      verify: config.verify,
      ...(signingKey === null ? {} : { signingKey }),
      json: config.json,
      cids: config.proofs === "cids",
      blocks: config.proofs === "blocks",
      crawledAt: BigInt(Math.floor(clock.now() * 1000)),
      zstdLevel: config.zstdLevel,
      collections: config.collections,
    };
    return pool.prepare(car, options, signal);
  }

  async #signingKey(did: string, context: CrawlContext): Promise<string | null> {
    const { identity, lookUp } = this.#options;
    return (identity(did) ?? (await lookUp(did, context))).signingKey;
  }

  async #fetch(request: HttpRequest, share: CarShare, signal: AbortSignal): Promise<HttpResponse | RepoFailure | null> {
    const { fetch, config, metrics, clock } = this.#options;
    const begun = clock.now();
    try {
      const mayGrow = (bytes: number) => share.grow(bytes);
      const response = await fetch({ ...request, signal, mayGrow, overflow: () => share.overflow() });
      metrics.request(`${response.status}`, (clock.now() - begun) / 1000);
      const failed = classifyAnswer(response, config.maxRepoSize, clock.now());
      // A decompressed CAR is larger, and part of it was read without asking.
      return failed ?? (share.settle(response.body.length) ? response : null);
    } catch (error) {
      if (!(error instanceof FetchError) || signal.aborted) throw error;
      metrics.request("error", (clock.now() - begun) / 1000);
      return share.isRefused ? null : failureOfFetch(error);
    }
  }
}
