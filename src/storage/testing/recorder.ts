/**
 * A file system that works on a real folder and writes down every write, name change and sync. A recording holds enough
 * to build each state that a power cut could have left (`crash-states.ts`).
 */
import { constants, existsSync, fstatSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { type FileHandle, link, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { ensureFolder } from "../ensure-folder.ts";
import type { FileSystem, OpenFile } from "../file-system.ts";

/** A file, identified by a number because its names change; or a folder. */
export type Node = number | "folder";

export type Operation =
  | { kind: "write"; file: number; path: string; offset: number; bytes: Buffer }
  | { kind: "truncate"; file: number; path: string; length: number }
  /** Names that appear (with a node) or disappear (null), all at once. Durable when `folder` is synced. */
  | { kind: "names"; folder: string; changes: [path: string, node: Node | null][] }
  /** Makes durable what came before operation `covers`: the writes to a file, or the names in a folder. */
  | ({ kind: "sync"; of: Node; path: string; covers: number } & CallSite)
  /** The product said that something is durable. */
  | { kind: "promise"; value: unknown };

export interface CallSite {
  /** The function that called for a sync, and its file. */
  site: string;
  /** Where in the sources it did, because a function may call twice. */
  place: string;
}

export interface Recording {
  /** What existed at the beginning, all of it durable. Paths are relative to the folder. */
  names: Map<string, Node>;
  contents: Map<number, Buffer>;
  operations: Operation[];
}

export class Recorder implements FileSystem {
  readonly recording: Recording;
  readonly #root: string;
  /** The names as of now. */
  readonly #names: Map<string, Node>;
  #files: number;

  /** What is in the folder now counts as durable. */
  constructor(root: string) {
    const { names, contents } = readFolder(root);
    this.#root = root;
    this.#names = new Map(names);
    this.#files = contents.size;
    this.recording = { names, contents, operations: [] };
  }

  promise(value: unknown): void {
    this.#add({ kind: "promise", value });
  }

  async open(path: string, flags: string | number, mode?: number): Promise<OpenFile> {
    const name = this.#name(path);
    const { appends, empties } = readFlags(flags);
    const handle = await open(path, flags, mode);
    let file = this.#names.get(name);
    if (file === "folder") throw new Error(`${name} is opened as a file`);
    if (file === undefined) {
      file = this.#files++;
      this.#change(dirname(name), [[name, file]]);
    } else if (empties) {
      this.#add({ kind: "truncate", file, path: name, length: 0 });
    }
    return new RecordedFile(this, handle, file, name, appends);
  }

  async rename(from: string, to: string): Promise<void> {
    const [source, target] = [this.#name(from), this.#name(to)];
    const file = this.#names.get(source);
    await rename(from, to);
    this.#change(dirname(target), [
      [source, null],
      [target, file!],
    ]);
  }

  async link(from: string, to: string): Promise<void> {
    const target = this.#name(to);
    await link(from, to);
    this.#change(dirname(target), [[target, this.#names.get(this.#name(from))!]]);
  }

  async rm(path: string, options?: { force?: boolean }): Promise<void> {
    const name = this.#name(path);
    await rm(path, options);
    if (this.#names.has(name)) this.#change(dirname(name), [[name, null]]);
  }

  ensureFolder(path: string, mode?: number): string | undefined {
    const missing: string[] = [];
    for (let name = this.#name(path); !this.#names.has(name); name = dirname(name)) missing.unshift(name);
    const first = ensureFolder(path, mode);
    for (const name of missing) this.#change(dirname(name), [[name, "folder"]]);
    return first;
  }

  async syncFolder(path: string): Promise<void> {
    // Like the real one: syncing a missing folder fails.
    await stat(path);
    // This is the folder that holds the test's folder.
    if (path === dirname(this.#root)) return;
    await this.sync("folder", this.#name(path));
  }

  async sync(of: Node, path: string): Promise<void> {
    const covers = this.recording.operations.length;
    const callSite = callSiteOf(new Error());
    // A separate turn: code that does not wait for a sync makes its promise too early, and the recording shows it.
    await new Promise((resolve) => setImmediate(resolve));
    this.#add({ kind: "sync", of, path, covers, ...callSite });
  }

  /** For the files of this recorder. */
  add(operation: Operation): void {
    this.#add(operation);
  }

  #add(operation: Operation): void {
    this.recording.operations.push(operation);
  }

  #change(folder: string, changes: [string, Node | null][]): void {
    for (const [path, node] of changes) {
      if (node === null) this.#names.delete(path);
      else this.#names.set(path, node);
    }
    this.#add({ kind: "names", folder, changes });
  }

  #name(path: string): string {
    const name = relative(this.#root, path).replaceAll(sep, "/");
    if (name.startsWith("..")) throw new Error(`${path} is outside ${this.#root}, the folder of the recording`);
    return name === "" ? "." : name;
  }
}

class RecordedFile {
  readonly #recorder: Recorder;
  readonly #handle: FileHandle;
  readonly #file: number;
  readonly #path: string;
  readonly #appends: boolean;
  #position = 0;

  constructor(recorder: Recorder, handle: FileHandle, file: number, path: string, appends: boolean) {
    this.#recorder = recorder;
    this.#handle = handle;
    this.#file = file;
    this.#path = path;
    this.#appends = appends;
  }

  read: FileHandle["read"] = (...args: unknown[]) => (this.#handle.read as (...args: unknown[]) => never)(...args);
  stat: FileHandle["stat"] = (...args: unknown[]) => (this.#handle.stat as (...args: unknown[]) => never)(...args);
  write: FileHandle["write"] = async (data: unknown, from?: unknown, length?: unknown, position?: unknown) => {
    const bytes = data as Buffer;
    const start = (from as number | null | undefined) ?? 0;
    const end = start + ((length as number | null | undefined) ?? bytes.length - start);
    this.#write(bytes.subarray(start, end), (position as number | null | undefined) ?? null);
    return { bytesWritten: end - start, buffer: data } as never;
  };
  writeFile: FileHandle["writeFile"] = async (data) => {
    if (typeof data === "string" || ArrayBuffer.isView(data)) return this.#write(Buffer.from(data as string), null);
    for await (const piece of data as AsyncIterable<string>) this.#write(Buffer.from(piece), null);
  };

  #write(data: Uint8Array, position: number | null): void {
    const bytes = Buffer.from(data);
    const offset = position ?? (this.#appends ? fstatSync(this.#handle.fd).size : this.#position);
    this.#recorder.add({ kind: "write", file: this.#file, path: this.#path, offset, bytes });
    writeSync(this.#handle.fd, bytes, 0, bytes.length, this.#appends ? null : offset);
    if (position === null) this.#position = offset + bytes.length;
  }

  async truncate(length = 0): Promise<void> {
    await this.#handle.truncate(length);
    this.#recorder.add({ kind: "truncate", file: this.#file, path: this.#path, length });
  }

  sync(): Promise<void> {
    return this.#recorder.sync(this.#file, this.#path);
  }

  datasync(): Promise<void> {
    return this.#recorder.sync(this.#file, this.#path);
  }

  chmod(mode: number): Promise<void> {
    return this.#handle.chmod(mode);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function readFlags(flags: string | number): { appends: boolean; empties: boolean } {
  if (typeof flags === "string") return { appends: flags.startsWith("a"), empties: flags.startsWith("w") };
  return { appends: (flags & constants.O_APPEND) !== 0, empties: (flags & constants.O_TRUNC) !== 0 };
}

/** Who called for a sync: the first frame of the stack outside the recorder. */
function callSiteOf({ stack = "" }: Error): CallSite {
  const frame = stack.split("\n").find((line) => line.includes("/src/") && !line.includes("/storage/testing/"));
  const [, name, place, file] = /at (?:async )?(?:(\S+) \()?.*\/(([^/]+):\d+:\d+)\)?$/.exec(frame ?? "") ?? [];
  return { site: `${name ?? "?"} in ${file ?? "?"}`, place: place ?? "?" };
}

function readFolder(root: string): { names: Map<string, Node>; contents: Map<number, Buffer> } {
  const names = new Map<string, Node>([[".", "folder"]]);
  const contents = new Map<number, Buffer>();
  const entries = existsSync(root) ? readdirSync(root, { recursive: true, withFileTypes: true }) : [];
  for (const entry of entries) {
    const path = relative(root, join(entry.parentPath, basename(entry.name))).replaceAll(sep, "/");
    if (entry.isDirectory()) names.set(path, "folder");
    else {
      names.set(path, contents.size);
      contents.set(contents.size, readFileSync(join(root, path)));
    }
  }
  return { names, contents };
}
