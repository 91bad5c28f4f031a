/**
 * Which recorded events no longer count: commits that a fetched repo has already seen, and records that a later commit changed or
 * deleted. Of those commits the rest is kept: that they were, when they were seen, and what they deleted.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { lockFile } from "../../storage/file-lock.ts";
import { FOLLOW_FILE, FOLLOW_LOCK } from "../folder-files.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { RepoArchive } from "../rca/read/archive.ts";
import { NewestHeads } from "../rca/read/newest-heads.ts";
import type { StoredEvent } from "./event-format.ts";
import { eventSegments, readEvents } from "./event-segments.ts";
import { FollowState } from "./follow-state.ts";
import { type RewriteResult, rewriteEvents, rewriteFinishedEvents, takeFollowLock } from "./rewrite-events.ts";

export interface CompactEventsOptions {
  folder: string;
  onDamage: (damage: Damage) => void;
  signal?: AbortSignal;
}

/** While a follower is running, the segment that it writes is left alone. */
export async function compactEvents(options: CompactEventsOptions): Promise<RewriteResult | null> {
  const { folder, onDamage, signal } = options;
  if ((await eventSegments(folder)).length === 0) return null;
  await using archive = await RepoArchive.open(folder, onDamage);
  const heads = new NewestHeads(archive);
  using latest = await LatestRevs.of(options);
  const keep = async (event: StoredEvent): Promise<StoredEvent | null> => {
    if (event.kind !== "commit") return event;
    const { did, rev } = event;
    const block = await heads.of(did);
    if (block !== null && rev <= block.rev) return null;
    const ops = event.ops.filter(({ action, path }) => action === "delete" || latest.of(did, path) === rev);
    return ops.length === event.ops.length ? event : { ...event, ops };
  };
  const lock = lockFile(join(folder, FOLLOW_LOCK), 0);
  try {
    const rewrite = lock === null ? rewriteFinishedEvents : rewriteEvents;
    return await rewrite({ folder, keep, onDamage, ...(signal && { signal }) });
  } finally {
    lock?.release();
  }
}

/** Everything of one account in event segments and in what follows from them. Throws FOLLOW_BUSY. */
export async function forgetInEvents(options: CompactEventsOptions, did: string): Promise<RewriteResult | null> {
  const { folder, onDamage } = options;
  if ((await eventSegments(folder)).length === 0 && !existsSync(join(folder, FOLLOW_FILE))) return null;
  const lock = takeFollowLock(folder);
  try {
    const keep = (event: StoredEvent): StoredEvent | null => {
      if (event.did === did) return null;
      // Why a commit was refused may name another account.
      return event.kind === "mark" && event.detail.includes(did) ? { ...event, detail: "" } : event;
    };
    const result = await rewriteEvents({ folder, keep, onDamage });
    if (existsSync(join(folder, FOLLOW_FILE))) {
      const state = new FollowState(folder);
      state.forget(did);
      state.close();
    }
    return result;
  } finally {
    lock.release();
  }
}

/** Of each record the rev of its last change; on disk, in a file that vanishes with it. */
class LatestRevs implements Disposable {
  readonly #db = new DatabaseSync("");
  readonly #find;

  private constructor() {
    this.#db.exec(
      "CREATE TABLE latest (did TEXT, path TEXT, rev TEXT, PRIMARY KEY (did, path)) STRICT, WITHOUT ROWID; BEGIN",
    );
    this.#find = this.#db.prepare("SELECT rev FROM latest WHERE did = ? AND path = ?");
  }

  static async of({ folder, onDamage, signal }: CompactEventsOptions): Promise<LatestRevs> {
    const latest = new LatestRevs();
    const put = latest.#db.prepare(
      "INSERT INTO latest VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET rev = max(rev, excluded.rev)",
    );
    for await (const { events } of readEvents(folder, onDamage)) {
      signal?.throwIfAborted();
      for (const event of events) {
        if (event.kind === "commit") for (const { path } of event.ops) put.run(event.did, path, event.rev);
      }
    }
    return latest;
  }

  of(did: string, path: string): string | null {
    return (this.#find.get(did, path)?.["rev"] as string | undefined) ?? null;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
