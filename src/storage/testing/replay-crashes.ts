/**
 * Runs a workload once, then runs recovery on every state that a power cut could have left at any point of it. After
 * that, each sync is dropped in turn: if no state shows the difference, either the sync is needless or a check is
 * missing.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type FileSystem, realFileSystem } from "../file-system.ts";
import { type CrashState, crashStates, describe, keyOf, materialise } from "./crash-states.ts";
import { fastFolder } from "./files.ts";
import { type Operation, Recorder, type Recording } from "./recorder.ts";

export interface CrashTest<Promised> {
  /** What exists, durably, before the workload. */
  prepare?: (folder: string) => Promise<void>;
  /** Must call `promise` each time the product says that something is durable. */
  work: (context: { folder: string; fs: FileSystem; promise: (value: Promised) => void }) => Promise<void>;
  /** Opens what a crash left, and throws when a promise is broken. It may change the folder. */
  recover: (context: { folder: string; fs: FileSystem; promised: readonly Promised[] }) => Promise<void>;
  /** Syncs that recovery could do without, as reported, each with the reason for keeping it. */
  needless?: Record<string, string>;
}

export interface CrashReport {
  states: number;
  /** How many of these are states in which recovery itself was interrupted. */
  interrupted: number;
  /** How many different syncs were dropped, */
  syncs: number;
  /** how many of them break a promise when they are lost, */
  noticed: number;
  /** and which ones do not. */
  unnoticed: string[];
}

/** How many recoveries are interrupted in their turn, spread over all states. */
const INTERRUPTED_RECOVERIES = 12;
const STATES_OF_EACH = 16;

/** Syncs take time and change nothing here: the power stays on while recovery is checked. */
const withoutSyncs: FileSystem = {
  ...realFileSystem,
  async open(path, flags, mode) {
    const handle = await realFileSystem.open(path, flags, mode);
    handle.sync = handle.datasync = async () => {};
    return handle;
  },
  syncFolder: async () => {},
};

export async function replayCrashes<Promised>(t: TestContext, test: CrashTest<Promised>): Promise<CrashReport> {
  const root = await fastFolder(t);
  const folder = join(root, "work");
  mkdirSync(folder);
  await test.prepare?.(folder);
  const recorder = new Recorder(folder);
  await test.work({ folder, fs: recorder, promise: (value) => recorder.promise(value) });
  const replay = new Replay(test, root);
  const states = await replay.baseline(recorder.recording);
  const interrupted = await replay.interruptedRecoveries(states);
  const dropped = await replay.dropSyncs(recorder.recording);
  const report = { states: states.length + interrupted, interrupted, ...dropped };
  const { syncs, noticed } = dropped;
  t.diagnostic(
    `${report.states} crash states (${interrupted} of them in recovery); ${noticed} of ${syncs} dropped syncs noticed`,
  );
  return report;
}

/** Like `replayCrashes`, but fails when a dropped sync is not noticed. */
export async function assertCrashSafe<Promised>(t: TestContext, test: CrashTest<Promised>): Promise<CrashReport> {
  const report = await replayCrashes(t, test);
  const expected = Object.keys(test.needless ?? {}).sort();
  assert.deepEqual(report.unnoticed, expected, "these syncs could be left out and no crash state would show it");
  return report;
}

type Sync = Extract<Operation, { kind: "sync" }>;

/**
 * Names for syncs: `sync log-*.jsonl (AppendFile.open in append-file.ts)`. The parts of a path that differ between runs
 * are replaced. Where one function syncs the same file in several places, the names end in `, place 1`, `, place 2`, in
 * the order of the first calls.
 */
function namesOf(syncs: readonly Sync[]): Map<Sync, string> {
  const nameOf = (sync: Sync): string => describe({ ...sync, path: sync.path.replace(/[0-9a-f]{16,}|\d+/g, "*") });
  const places = new Map<string, string[]>();
  for (const sync of syncs) {
    const known = places.get(nameOf(sync)) ?? [];
    if (!known.includes(sync.place)) places.set(nameOf(sync), [...known, sync.place]);
  }
  return new Map(
    syncs.map((sync) => {
      const of = places.get(nameOf(sync))!;
      return [sync, of.length === 1 ? nameOf(sync) : `${nameOf(sync)}, place ${of.indexOf(sync.place) + 1}`];
    }),
  );
}

/** At most `most` items at even distances, including the last one. */
function spread<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, at) => (all.length - 1 - at) % step === 0);
}

class Replay<Promised> {
  readonly #test: CrashTest<Promised>;
  readonly #folder: string;
  readonly #seen = new Set<string>();
  tried = 0;

  constructor(test: CrashTest<Promised>, root: string) {
    this.#test = test;
    this.#folder = join(root, "crashed");
  }

  async baseline(recording: Recording): Promise<CrashState[]> {
    const states = this.#newStates(crashStates(recording));
    const all: CrashState[] = [];
    for (const state of states) {
      await this.#mustRecover(state);
      all.push(state);
    }
    return all;
  }

  /** Recovery may be interrupted as well. The next recovery must cope with what it left. */
  async interruptedRecoveries(states: readonly CrashState[]): Promise<number> {
    let count = 0;
    for (const interrupted of spread(states, INTERRUPTED_RECOVERIES)) {
      const { promised, description } = interrupted;
      materialise(interrupted, this.#folder);
      const recorder = new Recorder(this.#folder);
      await this.#test.recover({ folder: this.#folder, fs: recorder, promised: promised as Promised[] });
      const left = [...this.#newStates(crashStates(recorder.recording), promised)];
      for (const state of spread(left, STATES_OF_EACH)) {
        await this.#mustRecover({
          ...state,
          description: `${description}\n  then in its recovery ${state.description}`,
        });
        count++;
      }
    }
    return count;
  }

  /** A line that syncs the same file several times is one sync, which is noticed when any of its calls is. */
  async dropSyncs(recording: Recording): Promise<Pick<CrashReport, "syncs" | "noticed" | "unnoticed">> {
    const noticed = new Set<string>();
    const all = new Set<string>();
    const names = namesOf(recording.operations.filter((operation) => operation.kind === "sync"));
    for (const [at, operation] of recording.operations.entries()) {
      if (operation.kind !== "sync") continue;
      const sync = names.get(operation)!;
      all.add(sync);
      if (!noticed.has(sync) && (await this.#isNoticed(recording, at))) noticed.add(sync);
    }
    return { syncs: all.size, noticed: noticed.size, unnoticed: [...all].filter((sync) => !noticed.has(sync)).sort() };
  }

  async #isNoticed(recording: Recording, dropped: number): Promise<boolean> {
    const tried = new Set<string>();
    for (const state of crashStates(recording, dropped)) {
      const key = keyOf(state);
      if (this.#seen.has(key) || tried.has(key)) continue;
      tried.add(key);
      if ((await this.#failure(state)) !== null) return true;
    }
    return false;
  }

  *#newStates(states: Iterable<CrashState>, promised?: unknown[]): Generator<CrashState> {
    for (const each of states) {
      const state = promised === undefined ? each : { ...each, promised };
      const key = keyOf(state);
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      yield state;
    }
  }

  async #mustRecover(state: CrashState): Promise<void> {
    const failure = await this.#failure(state);
    if (failure === null) return;
    const message = failure instanceof Error ? failure.message : String(failure);
    throw new Error(`A power cut breaks a promise ${state.description}\n  ${message}`, { cause: failure });
  }

  async #failure(state: CrashState): Promise<unknown> {
    this.tried++;
    materialise(state, this.#folder);
    try {
      const promised = state.promised as Promised[];
      await this.#test.recover({ folder: this.#folder, fs: withoutSyncs, promised });
      return null;
    } catch (error) {
      return error;
    }
  }
}
