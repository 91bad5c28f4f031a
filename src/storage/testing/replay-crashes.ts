/**
 * Runs a workload once, then recovery on every state that a power cut could have left at any point of it. After that,
 * each sync is dropped in turn: when no state shows the difference, either the sync or a check is missing.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type FileSystem, realFileSystem } from "../file-system.ts";
import { type CrashState, crashStates, describe, keyOf, materialise } from "./crash-states.ts";
import { temporaryFolder } from "./files.ts";
import { Recorder, type Recording } from "./recorder.ts";

export interface CrashTest<Promised> {
  /** What is there, and durable, before the workload. */
  prepare?: (folder: string) => Promise<void>;
  /** Calls `promise` each time that the product says something is durable. */
  work: (context: { folder: string; fs: FileSystem; promise: (value: Promised) => void }) => Promise<void>;
  /** Opens what a crash left, and throws when it is not what was promised. It may change the folder. */
  recover: (context: { folder: string; fs: FileSystem; promised: readonly Promised[] }) => Promise<void>;
}

export interface CrashReport {
  states: number;
  /** Of these, how many in which recovery itself was cut off. */
  interrupted: number;
  /** Syncs that were dropped, each in its turn; */
  syncs: number;
  /** of these, those that had nothing to make durable when they were called, and whose call site matters elsewhere; */
  idle: number;
  /** and those without which no state is any worse. */
  unnoticed: string[];
}

/** Recoveries that are cut off in their turn: so many, spread over all states. */
const INTERRUPTED_RECOVERIES = 12;

/** Syncs cost time and change nothing here: no power is cut while recovery is checked. */
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
  const root = await temporaryFolder(t);
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
  const { syncs, idle, unnoticed } = dropped;
  t.diagnostic(
    `${report.states} crash states (${interrupted} of them in recovery), ` +
      `${syncs} syncs dropped: ${syncs - idle - unnoticed.length} noticed, ${idle} idle, ${unnoticed.length} unnoticed`,
  );
  return report;
}

/** As above; fails when a dropped sync is not noticed. */
export async function assertCrashSafe<Promised>(t: TestContext, test: CrashTest<Promised>): Promise<CrashReport> {
  const report = await replayCrashes(t, test);
  assert.deepEqual(report.unnoticed, [], "these syncs could be left out and no crash state would show it");
  return report;
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

  /** Recovery may be cut off as well; the next one must do with what it left. */
  async interruptedRecoveries(states: readonly CrashState[]): Promise<number> {
    let count = 0;
    const step = Math.max(1, Math.ceil(states.length / INTERRUPTED_RECOVERIES));
    for (let at = states.length - 1; at >= 0; at -= step) {
      const { promised, description } = states[at]!;
      materialise(states[at]!, this.#folder);
      const recorder = new Recorder(this.#folder);
      await this.#test.recover({ folder: this.#folder, fs: recorder, promised: promised as Promised[] });
      for (const state of this.#newStates(crashStates(recorder.recording), promised)) {
        await this.#mustRecover({
          ...state,
          description: `${description}\n  then in its recovery ${state.description}`,
        });
        count++;
      }
    }
    return count;
  }

  async dropSyncs(recording: Recording): Promise<Pick<CrashReport, "syncs" | "idle" | "unnoticed">> {
    const noticedSites = new Set<string>();
    const without: { site: string; isIdle: boolean; text: string }[] = [];
    let syncs = 0;
    for (const [at, operation] of recording.operations.entries()) {
      if (operation.kind !== "sync") continue;
      syncs++;
      const result = await this.#drop(recording, at);
      if (result === "noticed") noticedSites.add(operation.site);
      else without.push({ site: operation.site, isIdle: result === "idle", text: `${at}: ${describe(operation)}` });
    }
    // Two writers that share a folder each sync it: whoever comes second may find nothing left to do.
    const isHarmless = ({ site, isIdle }: { site: string; isIdle: boolean }) => isIdle && noticedSites.has(site);
    const unnoticed = without.filter((sync) => !isHarmless(sync)).map(({ text }) => text);
    return { syncs, idle: without.length - unnoticed.length, unnoticed };
  }

  async #drop(recording: Recording, at: number): Promise<"noticed" | "unnoticed" | "idle"> {
    const tried = new Set<string>();
    let result: "unnoticed" | "idle" = "idle";
    for (const state of crashStates(recording, at)) {
      result = "unnoticed";
      const key = keyOf(state);
      if (this.#seen.has(key) || tried.has(key)) continue;
      tried.add(key);
      if ((await this.#failure(state)) !== null) return "noticed";
    }
    return result;
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
