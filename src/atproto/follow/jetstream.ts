/**
 * Jetstream as a source: JSON instead of signed commits, so who wrote a record cannot be verified. What can be checked is: that
 * a record has the CID that goes with it. Its cursor is a time, and each event has its own.
 */
import { hash } from "node:crypto";
import { z } from "zod";
import { isDid } from "../identity/did.ts";
import { dagCborOfJson, isDeeper } from "../rca/repair/recompute-cids.ts";
import { encodeCid } from "../repo/multibase.ts";
import { DEEPEST_RECORD, LONGEST_REV } from "../repo/parsed-repo.ts";
import { isRecordPath } from "../repo/record-path.ts";
import type { StoredEvent } from "./event-format.ts";
import {
  type CheckTools,
  type EventCheck,
  LONGEST_STATUS,
  LONGEST_TEXT,
  type Prepared,
  SeenTimes,
} from "./frame-check.ts";

const Message = z.object({
  did: z.string().refine(isDid),
  time_us: z.int().positive(),
  kind: z.string(),
  commit: z
    .object({
      rev: z.string().max(LONGEST_REV),
      operation: z.enum(["create", "update", "delete"]),
      collection: z.string(),
      rkey: z.string(),
      record: z.record(z.string(), z.unknown()).nullish(),
      cid: z.string().nullish(),
    })
    .nullish(),
  identity: z.object({ handle: z.string().nullish() }).nullish(),
  account: z.object({ active: z.boolean(), status: z.string().nullish() }).nullish(),
});
type Message = z.infer<typeof Message>;
type CommitMessage = NonNullable<Message["commit"]>;

export class JetstreamCheck implements EventCheck {
  readonly #tools: CheckTools;
  readonly #seen: SeenTimes;
  refused = 0;
  /** Nothing is signed here, so nothing is proven; `verified` in the segments says so. */
  readonly unproven = 0;

  constructor(tools: CheckTools) {
    this.#tools = tools;
    this.#seen = new SeenTimes(tools.clock);
  }

  prepare(bytes: Buffer): Prepared {
    const message = read(bytes);
    if (message === null) return { kind: "unreadable", seq: null };
    const { did, time_us: seq, commit, identity, account } = message;
    if (!this.#tools.isWanted(did)) return { kind: "unwanted", seq };
    const head = { seq, did, seenAt: this.#seen.next() };
    const prepared = (events: () => StoredEvent[], changesIdentity = false): Prepared => ({
      kind: "event",
      seq,
      did,
      time: seq / 1000,
      changesIdentity,
      // Several messages of one commit have the same rev.
      isToldByRev: false,
      events,
    });
    if (message.kind === "commit" && commit) return prepared(() => this.#commitEvents(head, commit));
    if (message.kind === "identity" && identity) {
      const handle = (identity.handle ?? "").slice(0, LONGEST_TEXT);
      return prepared(() => [{ kind: "identity", ...head, handle }], true);
    }
    if (message.kind === "account" && account) {
      const status = (account.status ?? "").slice(0, LONGEST_STATUS);
      return prepared(() => [{ kind: "account", ...head, active: account.active, status }]);
    }
    return { kind: "unreadable", seq };
  }

  /** A commit comes as one message for each of its operations, all with its rev. */
  #commitEvents(head: { seq: number; did: string; seenAt: number }, commit: CommitMessage): StoredEvent[] {
    const { rev, operation: action, collection, rkey } = commit;
    const { state } = this.#tools;
    const known = state.account(head.did)?.rev ?? null;
    if (known !== null && rev < known) return [];
    const path = `${collection}/${rkey}`;
    const record = action === "delete" ? null : recordOf(commit);
    if (!isRecordPath(path) || record === "wrong") {
      this.refused++;
      if (state.isMarked(head.did)) return [];
      return [
        {
          kind: "mark",
          ...head,
          reason: "refused",
          rev,
          detail: "The record does not have the CID that was given for it.",
        },
      ];
    }
    return [{ kind: "commit", ...head, rev, since: "", commit: Buffer.alloc(0), ops: [{ action, path, record }] }];
  }
}

/** What is around a record: the message, and the commit. */
const DEEPEST_MESSAGE = DEEPEST_RECORD + 2;

function read(bytes: Buffer): Message | null {
  if (isDeeper(bytes, DEEPEST_MESSAGE)) return null;
  try {
    return Message.parse(JSON.parse(bytes.toString("utf8")));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}

/** As DAG-CBOR; `wrong` when that has another CID, as it has when a number was written with a point that JSON does not keep. */
function recordOf({ record, cid }: CommitMessage): Buffer | "wrong" {
  const block = record ? dagCborOfJson(Buffer.from(JSON.stringify(record))) : null;
  if (block === null || encodeCid(hash("sha256", block, "buffer"), 0) !== cid) return "wrong";
  return block;
}
