/**
 * The states of a disk that a power cut could leave at each point of a recording.
 *
 * Until a file is synced, each write to it may have happened, be lost, be cut short, or have left zeros, independently
 * of the others. Until its folder is synced, a change of a name may be undone. There are too many combinations to try
 * them all. At each point these are tried: everything lost; everything kept; each operation alone lost; each alone
 * kept; each write alone cut short or zeroed; and a few random combinations, the same ones in every run.
 */
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Node, Operation, Recording } from "./recorder.ts";

type Pending = Extract<Operation, { kind: "write" | "truncate" | "names" }>;
type Fate = "kept" | "lost" | "torn" | "zeros";

export interface CrashState {
  names: Map<string, Node>;
  contents: Map<number, Buffer>;
  /** What had been promised by then. */
  promised: unknown[];
  /** For people: the point, and what happened to each unsynced operation. */
  description: string;
}

/** Random combinations at each point. */
const RANDOM_STATES = 6;

/**
 * `dropped` is the index of a sync that did nothing. With it, only states that its loss makes possible are returned.
 */
export function* crashStates({ names, contents, operations }: Recording, dropped?: number): Generator<CrashState> {
  const disk = new Disk(names, contents);
  const promised: unknown[] = [];
  /** What the dropped sync would have made durable. */
  let late = new Set<Pending>();
  if (dropped === undefined) yield* disk.states(0, "at the beginning", []);
  for (const [at, operation] of operations.entries()) {
    if (operation.kind === "promise") promised.push(operation.value);
    else if (operation.kind !== "sync") disk.pending.push({ operation, at });
    else if (at === dropped) late = new Set(disk.coveredBy(operation).map((pending) => pending.operation));
    else disk.sync(operation);
    if (dropped !== undefined) {
      if (at < dropped) continue;
      if (!disk.pending.some(({ operation }) => late.has(operation))) return;
    }
    // A sync only rules states out: unless something was promised since, all that remain have been tried already.
    const isNew = operation.kind !== "sync" || at === operations.length - 1;
    if (isNew || at === dropped) yield* disk.states(at + 1, describe(operation), [...promised]);
  }
}

class Disk {
  readonly #names: Map<string, Node>;
  readonly #contents: Map<number, Buffer>;
  pending: { operation: Pending; at: number }[] = [];

  constructor(names: Map<string, Node>, contents: Map<number, Buffer>) {
    this.#names = new Map(names);
    this.#contents = new Map(contents);
  }

  coveredBy({ of, path, covers }: Extract<Operation, { kind: "sync" }>): { operation: Pending; at: number }[] {
    return this.pending.filter(({ operation, at }) => {
      if (at >= covers) return false;
      return operation.kind === "names" ? of === "folder" && operation.folder === path : operation.file === of;
    });
  }

  sync(sync: Extract<Operation, { kind: "sync" }>): void {
    const covered = this.coveredBy(sync);
    for (const { operation } of covered) apply(operation, "kept", this.#names, this.#contents);
    this.pending = this.pending.filter((each) => !covered.includes(each));
  }

  *states(point: number, after: string, promised: unknown[]): Generator<CrashState> {
    for (const fates of fatesOf(this.pending, point)) {
      const names = new Map(this.#names);
      const contents = new Map(this.#contents);
      for (const [index, { operation }] of this.pending.entries()) apply(operation, fates[index]!, names, contents);
      const list = this.pending.map(({ operation }, index) => `${fates[index]}: ${describe(operation)}`);
      const description = [`after operation ${point}, ${after}; not synced yet`, ...list].join("\n    ");
      yield { names, contents, promised, description };
    }
  }
}

function* fatesOf(pending: readonly { operation: Pending }[], seed: number): Generator<Fate[]> {
  const all = (fate: Fate): Fate[] => pending.map(() => fate);
  const others = (fate: Fate, index: number, own: Fate): Fate[] => all(fate).with(index, own);
  yield all("lost");
  if (pending.length === 0) return;
  yield all("kept");
  for (const [index, { operation }] of pending.entries()) {
    yield others("kept", index, "lost");
    yield others("lost", index, "kept");
    if (operation.kind !== "write") continue;
    yield others("kept", index, "torn");
    yield others("lost", index, "torn");
    yield others("kept", index, "zeros");
  }
  if (pending.length < 3) return;
  const random = randomFrom(seed);
  const choices: Fate[] = ["kept", "kept", "lost", "lost", "torn", "zeros"];
  for (let count = 0; count < RANDOM_STATES; count++) {
    yield pending.map(({ operation }) => choices[Math.floor(random() * (operation.kind === "write" ? 6 : 4))]!);
  }
}

function apply(operation: Pending, fate: Fate, names: Map<string, Node>, contents: Map<number, Buffer>): void {
  if (fate === "lost") return;
  if (operation.kind === "names") {
    for (const [path, node] of operation.changes) {
      if (node === null) names.delete(path);
      else names.set(path, node);
    }
    return;
  }
  const before = contents.get(operation.file) ?? Buffer.alloc(0);
  if (operation.kind === "truncate") {
    contents.set(operation.file, resized(before, operation.length));
    return;
  }
  const { offset, bytes } = operation;
  const kept = fate === "torn" ? bytes.subarray(0, bytes.length >> 1) : bytes;
  const after = resized(before, Math.max(before.length, offset + kept.length));
  if (fate !== "zeros") after.set(kept, offset);
  contents.set(operation.file, after);
}

function resized(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.alloc(length);
  copy.set(bytes.subarray(0, length));
  return copy;
}

/** Equal for states with the same files and promises. */
export function keyOf(state: CrashState): string {
  const hash = createHash("sha1");
  for (const [path, node] of reachable(state)) {
    const bytes = node === "folder" ? null : (state.contents.get(node) ?? Buffer.alloc(0));
    hash.update(`${path}\0${bytes?.length ?? "folder"}\0`);
    if (bytes !== null) hash.update(bytes);
  }
  return `${state.promised.length} ${hash.digest("hex")}`;
}

/** Makes the folder hold this state, and nothing else. */
export function materialise(state: CrashState, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, node] of reachable(state)) {
    if (node === "folder") mkdirSync(join(folder, path));
    else writeFileSync(join(folder, path), state.contents.get(node) ?? Buffer.alloc(0));
  }
}

/** A file whose folder has lost its name is lost with it. Folders come before their contents. */
function reachable({ names }: CrashState): [path: string, node: Node][] {
  const parents = (path: string): string[] => path.split("/").flatMap((_, at, parts) => parts.slice(0, at).join("/"));
  return [...names]
    .filter(([path]) => parents(path).every((parent) => parent === "" || names.get(parent) === "folder"))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

export function describe(operation: Operation): string {
  if (operation.kind === "write")
    return `write ${operation.bytes.length} bytes to ${operation.path} at ${operation.offset}`;
  if (operation.kind === "truncate") return `truncate ${operation.path} to ${operation.length}`;
  if (operation.kind === "sync") return `sync ${operation.path} (${operation.site})`;
  if (operation.kind === "promise") return `promise ${JSON.stringify(operation.value)}`;
  return operation.changes.map(([path, node]) => `${node === null ? "remove" : "name"} ${path}`).join(", ");
}

/** Mulberry32: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
