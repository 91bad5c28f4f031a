/** Checks recorded events to the last byte: every batch, every event, the signature of every commit, and its records against the tree. */
import type { Damage } from "../rca/format/bytes.ts";
import { type KnownKeys, type SignedBy, signerOf } from "../rca/repair/check-proof.ts";
import { CborReader } from "../repo/cbor-reader.ts";
import { readCommit } from "../repo/commit.ts";
import { RepoParseError } from "../repo/parsed-repo.ts";
import type { CommitEvent, SyncEvent } from "./event-format.ts";
import { readEvents } from "./event-segments.ts";
import { RecordedChanges } from "./prove-changes.ts";

export interface VerifyEventsOptions {
  keysOf: (did: string) => KnownKeys | null;
  onDamage: (damage: Damage) => void;
  signal?: AbortSignal;
}

export interface EventCounts {
  /** Events of whole batches. */
  events: number;
  /** Commits that the account's key signed. */
  signedCommits: number;
  /** Commits that cannot be checked against a key: from Jetstream, or of accounts whose key is not known. */
  unsignedCommits: number;
  /** Records of these commits that count still: those of the tree that was signed last, and those for which that cannot be shown. */
  provenChanges: number;
  unprovenChanges: number;
  problems: number;
}

/** What a crash left of the last batch is reported, and is not a problem. */
export async function verifyEvents(folder: string, options: VerifyEventsOptions): Promise<EventCounts> {
  const counts: EventCounts = {
    events: 0,
    signedCommits: 0,
    unsignedCommits: 0,
    provenChanges: 0,
    unprovenChanges: 0,
    problems: 0,
  };
  using changes = new RecordedChanges();
  const onDamage = (damage: Damage): void => {
    if (!damage.torn) counts.problems++;
    options.onDamage(damage);
  };
  for await (const { events, path, offset } of readEvents(folder, onDamage)) {
    options.signal?.throwIfAborted();
    counts.events += events.length;
    for (const event of events) {
      if (event.kind !== "commit" && event.kind !== "sync") continue;
      const before = counts.signedCommits;
      const reason = problemOf(event, options.keysOf, counts);
      if (reason !== null) onDamage({ path, offset, did: event.did, reason, torn: false });
      if (event.kind === "commit") changes.add(event, counts.signedCommits > before ? treeOf(event.commit) : null);
    }
  }
  const { proven, unproven } = await changes.prove(folder, onDamage, options.signal);
  return { ...counts, provenChanges: proven, unprovenChanges: unproven };
}

function treeOf(commit: Buffer): Buffer {
  const { dataDigest } = readCommit(new CborReader(commit), 0, commit.length);
  return commit.subarray(dataDigest, dataDigest + DIGEST_BYTES);
}

const DIGEST_BYTES = 32;

function problemOf(
  event: CommitEvent | SyncEvent,
  keysOf: VerifyEventsOptions["keysOf"],
  counts: EventCounts,
): string | null {
  const signer = event.commit.length === 0 ? "no_key" : signedBy(event, keysOf(event.did));
  if (signer === "account") counts.signedCommits++;
  else if (signer === "no_key" || signer === "replaced_key") counts.unsignedCommits++;
  else if (signer === "another") return `the commit ${event.rev} is not signed by the account's key`;
  else return signer.problem;
  return null;
}

function signedBy(event: CommitEvent | SyncEvent, known: KnownKeys | null): SignedBy | { problem: string } {
  try {
    const commit = readCommit(new CborReader(event.commit), 0, event.commit.length);
    if (commit.did !== event.did || commit.rev !== event.rev) {
      return { problem: `the commit ${event.rev} was signed as rev ${commit.rev} of ${commit.did}` };
    }
    return signerOf(commit, known, event.seenAt / 1000);
  } catch (error) {
    if (error instanceof RepoParseError) return { problem: `the commit ${event.rev}: ${error.message}` };
    throw error;
  }
}
