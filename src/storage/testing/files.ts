/** Helpers for tests that use files: a folder that is removed when the test ends, and an async iterable as an array. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** In memory where the system offers that, for tests that write a lot and need no disk. */
export const fastFolder = (t: TestContext): Promise<string> =>
  temporaryFolder(t, "/dev/shm").catch(() => temporaryFolder(t));

export async function temporaryFolder(t: TestContext, parent = tmpdir()): Promise<string> {
  const path = await mkdtemp(join(parent, "trawl-store-"));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
