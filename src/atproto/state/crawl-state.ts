/** What a crawl of the network stores between runs, in Redis or in a file. It has no queue: see kernel/ledger.ts. */

import { hostname } from "node:os";
import { join, resolve } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import type { LaneState } from "../../kernel/lane.ts";
import type { Note, Recovered } from "../../kernel/ledger.ts";
import type { AtprotoConfig } from "../atproto-config.ts";
import { ERROR_CLASS_NAMES } from "../error-classes.ts";
import { STATE_FILE } from "../folder-files.ts";
import type { ProcessName } from "./redis-scripts.ts";
import { RedisState } from "./redis-state.ts";
import { SqliteState } from "./sqlite-state.ts";

/** How a DID ended. */
export interface SettledDid {
  did: string;
  /** Its error class; null when its repo is stored. */
  failure: string | null;
  /** It counts as completed: a later crawl does not ask this host again before `retryAt`. */
  isFinal: boolean;
  /** The host that was asked; null when none was. */
  host: string | null;
  /** When that host may be asked again, in Unix ms; 0 for the next crawl. */
  retryAt: number;
  /** Details of the failure that the class does not express. */
  detail: string | null;
}

/** A DID, and the host that is to be asked for it. */
export interface DidAtHost {
  did: string;
  host: string | null;
}

/** One transaction. */
export interface StateChange {
  settled: SettledDid[];
  lanes: Map<string, LaneState>;
  notes: Note[];
  /** The totals once this is settled. */
  progress?: Progress;
}

export interface CrawlStats {
  /** Total number of repos stored. */
  total_crawled: number;
  bytes_written: number;
}

export interface Progress {
  stats: CrawlStats;
  /** The segment of the repo that was settled last; 0 before the first. */
  segmentNumber: number;
}

export interface RememberedState extends Pick<Recovered, "lanes" | "notes"> {
  progress: Progress;
}

export interface StateSummary extends Progress {
  completed: number;
  /** DIDs by error class. Those of a permanent class are among the completed ones, too. */
  failed: Record<string, number>;
  /** How far each source was read. */
  cursors: Record<string, string>;
  /** Some process crawls with this state now. */
  isRunning: boolean;
}

export interface CrawlState {
  /** Claims the state for this process. Refuses when another process has it. */
  take(): Promise<void>;
  /** What a crawl continues with. */
  read(): Promise<RememberedState>;
  commit(change: StateChange): Promise<void>;
  /** The DIDs among these that a crawl has to fetch, in order: not stored, and not failed at this host too recently. */
  unsettled(claims: readonly DidAtHost[]): Promise<string[]>;
  /** These have been found in segments that were written before a crash. Returns those that were new. */
  markStored(dids: readonly string[]): Promise<string[]>;
  saveProgress(progress: Progress): Promise<void>;
  /** A crawl starts over: its sources are read from the beginning. */
  clearCursors(): Promise<void>;
  /** A crawl is complete: the next one reads its sources from the beginning. */
  finish(): Promise<void>;
  /** Works while another process crawls. */
  summary(): Promise<StateSummary>;
  /** Forgets one account. */
  forget(did: string): Promise<void>;
  /** Forgets everything. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export type StateConfig = Pick<AtprotoConfig, "outputDir" | "redisAddress">;

/** A process among those that crawl with one Redis. */
export interface StateMember {
  me: ProcessName;
  /** Others crawl with it now. */
  isShared: boolean;
}

/** The state that a config names: in Redis, or in a file next to the segments. */
export function openState(config: StateConfig, clock?: Clock, member?: StateMember): CrawlState {
  const { outputDir, redisAddress } = config;
  if (redisAddress === null) return new SqliteState(join(outputDir, STATE_FILE), clock);
  return new RedisState({
    address: redisAddress,
    classes: ERROR_CLASS_NAMES,
    clock,
    ...(member && {
      member: member.me,
      isShared: member.isShared,
      segments: `${hostname()} ${resolve(outputDir)}`,
    }),
  });
}
