/** What a frame of the firehose becomes: verified with the key of its account, and checked against what is known of it. */
import type { Clock } from "../../kernel/clock.ts";
import { isDid, normaliseEndpoint } from "../identity/did.ts";
import { CborProblem } from "../repo/cbor-reader.ts";
import { LONGEST_REV, RepoParseError } from "../repo/parsed-repo.ts";
import { tidTime } from "../repo/tid.ts";
import type { MarkReason, StoredEvent } from "./event-format.ts";
import { type CommitFrame, type RepoFrame, readFrame, type SyncFrame } from "./firehose-frame.ts";
import type { FollowIdentities } from "./follow-identities.ts";
import type { FollowState } from "./follow-state.ts";
import { refused, type VerifiedCommit, verifyCommit, verifySync } from "./verify-commit.ts";

export interface CheckTools {
  identities: FollowIdentities;
  state: FollowState;
  /** The rev of the repo that a crawl stored; null if there is none. */
  storedRev: (did: string) => string | null;
  /** Whether events of this account are recorded. */
  isWanted: (did: string) => boolean;
  /** The only server whose accounts the source may call inactive; null for a relay, which speaks for all. */
  speaksFor: string | null;
  clock: Clock;
  random: () => number;
}

export interface PreparedEvent {
  kind: "event";
  seq: number;
  did: string;
  /** When it happened, as the source says; Unix ms. */
  time: number | null;
  changesIdentity: boolean;
  /** Whether it came before shows in its rev, so it is taken at whatever place in the stream. */
  isToldByRev: boolean;
  /** What of it is news. Called in the order of the stream, when everything before it has been applied. */
  events: () => StoredEvent[];
}

export type Prepared =
  | PreparedEvent
  | { kind: "info" | "error"; name: string; message: string }
  | { kind: "unreadable"; seq: number | null }
  | { kind: "unwanted"; seq: number };

/** Reads the messages of a source. */
export interface EventCheck {
  /** Commits that did not hold. */
  readonly refused: number;
  /** Commits that hold, but for which it cannot be shown that no operation was left out. */
  readonly unproven: number;
  /** Called for many messages at once: it may have to look up a document. */
  prepare(message: Buffer): Prepared | Promise<Prepared>;
}

/** A commit or sync event that was checked, and why it does not hold if it does not. */
type Checked = { verified: VerifiedCommit } | { reason: MarkReason; detail: string };

/** Clocks differ. The protocol's advice is some minutes; ours may be the wrong one. */
const MOST_AHEAD_MS = 60 * 60_000;
export const LONGEST_TEXT = 300;
export const LONGEST_STATUS = 64;

export class FrameCheck implements EventCheck {
  readonly #tools: CheckTools;
  readonly #seen: SeenTimes;
  refused = 0;
  unproven = 0;

  constructor(tools: CheckTools) {
    this.#tools = tools;
    this.#seen = new SeenTimes(tools.clock);
  }

  prepare(bytes: Buffer): Prepared | Promise<Prepared> {
    let frame: ReturnType<typeof readFrame>;
    try {
      frame = readFrame(bytes);
    } catch (problem) {
      if (!(problem instanceof CborProblem)) throw problem;
      return { kind: "unreadable", seq: null };
    }
    if (frame.kind === "unknown") return { kind: "unreadable", seq: frame.seq };
    if (frame.kind === "info" || frame.kind === "error") return frame;
    if (!isDid(frame.did)) return { kind: "unreadable", seq: frame.seq };
    if (!this.#tools.isWanted(frame.did)) return { kind: "unwanted", seq: frame.seq };
    const head = { seq: frame.seq, did: frame.did, seenAt: this.#seen.next() };
    if (frame.kind === "identity") {
      const handle = (frame.handle ?? "").slice(0, LONGEST_TEXT);
      return prepared(frame, () => [{ kind: "identity", ...head, handle }]);
    }
    if (frame.kind === "account") {
      const status = (frame.status ?? "").slice(0, LONGEST_STATUS);
      const { active } = frame;
      const told = prepared(frame, () => [{ kind: "account", ...head, active, status }]);
      if (this.#tools.speaksFor === null) return told;
      return this.#isItsOwn(frame.did).then((isOwn) => (isOwn ? told : { kind: "unwanted", seq: frame.seq }));
    }
    // What did not fit into the frame cannot be verified: the repo is fetched whole.
    if (frame.kind === "commit" && frame.tooBig) {
      return prepared(frame, () => this.#eventsOf(frame, head, { reason: "too_big", detail: "" }));
    }
    return this.#verify(frame).then((checked) => prepared(frame, () => this.#eventsOf(frame, head, checked)));
  }

  #eventsOf(frame: CommitFrame | SyncFrame, head: EventHead, checked: Checked): StoredEvent[] {
    const { state } = this.#tools;
    const { rev: known = null, data = null } = state.account(head.did) ?? {};
    if ("reason" in checked) {
      const { reason, detail } = checked;
      const isStale = known !== null && frame.rev.length <= LONGEST_REV && frame.rev <= known;
      if (reason === "refused") this.refused++;
      // Once marked, it is fetched anyway: nobody fills the disk with commits that do not hold.
      if ((isStale && reason !== "refused") || state.isMarked(head.did)) return [];
      // What was not signed says nothing about the rev.
      return [{ kind: "mark", ...head, reason, rev: "", detail: detail.slice(0, LONGEST_TEXT) }];
    }
    const { rev, commit, ops, before } = checked.verified;
    if (known !== null && (frame.kind === "sync" ? rev < known : rev <= known)) return [];
    if (frame.kind === "sync") return [{ kind: "sync", ...head, rev, commit }];
    const since = (frame.since ?? "").slice(0, LONGEST_REV);
    const event: StoredEvent = { kind: "commit", ...head, rev, since, commit, ops };
    if (before === null) this.unproven++;
    const detail = this.#missingBefore(head.did, since, before, { known, data });
    return detail === null ? [event] : [event, { kind: "mark", ...head, reason: "gap", rev, detail }];
  }

  /** What is missing before a commit, where the revs of the events do not show it; null when nothing is. */
  #missingBefore(
    did: string,
    since: string,
    before: Buffer | null,
    { known, data }: { known: string | null; data: Buffer | null },
  ): string | null {
    // The tree before is not signed with the commit: whoever leaves out an operation may name another one.
    if (before !== null && since === known && data !== null && !before.equals(data)) {
      return "the tree before it is not the one that was signed before";
    }
    if (known !== null) return null;
    const stored = this.#tools.storedRev(did);
    return stored !== null && stored < since ? `after ${stored}, which was crawled` : null;
  }

  /** Any server can say that any account was taken down; that would hide it from every reader. */
  async #isItsOwn(did: string): Promise<boolean> {
    const pds = (await this.#tools.identities.findSoon(did))?.pds ?? null;
    return pds !== null && normaliseEndpoint(pds, true).origin === this.#tools.speaksFor;
  }

  async #verify(frame: CommitFrame | SyncFrame): Promise<Checked> {
    const { identities } = this.#tools;
    const identity = await identities.findSoon(frame.did);
    if (identity === null || identity.signingKey === null) {
      const detail = identity === null ? "its document could not be read" : "its document names no signing key";
      return { reason: "unresolved", detail };
    }
    const first = this.#checked(frame, identity.signingKey);
    if (!(first instanceof RepoParseError)) return { verified: first };
    // Keys are rotated: the document may be newer than what is known of it.
    const renewed = first.class === "bad_signature" ? await identities.renew(frame.did) : null;
    const key = renewed?.signingKey ?? null;
    const second = key === null || key === identity.signingKey ? first : this.#checked(frame, key);
    if (!(second instanceof RepoParseError)) return { verified: second };
    return { reason: "refused", detail: second.message };
  }

  #checked(frame: CommitFrame | SyncFrame, key: string): VerifiedCommit | RepoParseError {
    try {
      const { random, clock } = this.#tools;
      const verified = frame.kind === "commit" ? verifyCommit(frame, key, random) : verifySync(frame, key, random);
      // Revs only grow: all later commits of the account would count as old.
      const written = tidTime(verified.rev);
      if (written === null || written > clock.now() + MOST_AHEAD_MS)
        throw refused("its rev is not the time of a commit");
      return verified;
    } catch (error) {
      if (error instanceof RepoParseError) return error;
      throw error;
    }
  }
}

/** Unix microseconds, each later than the one before: two changes of a record in one millisecond stay in order by their times. */
export class SeenTimes {
  readonly #clock: Clock;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): number {
    this.#last = Math.max(this.#last + 1, Math.floor(this.#clock.now() * 1000));
    return this.#last;
  }
}

interface EventHead {
  seq: number;
  did: string;
  seenAt: number;
}

function prepared({ kind, seq, did, time: written }: RepoFrame, events: () => StoredEvent[]): PreparedEvent {
  const time = Date.parse(written);
  return {
    kind: "event",
    seq,
    did,
    time: Number.isNaN(time) ? null : time,
    changesIdentity: kind === "identity",
    isToldByRev: kind === "commit",
    events,
  };
}
