/** How far each named consumer of the stream has come: a file next to the segments for each. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { missingAsNull, replaceFile } from "../../storage/durable.ts";
import { decodeCursor, encodeCursor, type StreamCursor } from "./stream-cursor.ts";

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const FILE = /^stream-([A-Za-z0-9_-]{1,64})\.cursor$/;

/** Each is a file in the archive, and everyone who may read can make one. */
export const MOST_CONSUMERS = 100;

/** Whether there is room for `newcomers`, which have no place yet, beside those that have one. */
export async function hasRoom(folder: string, newcomers: ReadonlySet<string>): Promise<boolean> {
  const names = (await readdir(folder).catch(missingAsNull(folder))) ?? [];
  const known = names.flatMap((name) => FILE.exec(name)?.[1] ?? []);
  return new Set([...known, ...newcomers]).size <= MOST_CONSUMERS;
}

export const isConsumerName = (text: string): boolean => NAME.test(text);

/** Null when it has none yet. */
export async function placeOf(folder: string, consumer: string): Promise<StreamCursor | null> {
  const path = pathOf(folder, consumer);
  const text = await readFile(path, "utf8").catch(missingAsNull(path));
  if (text === null) return null;
  const cursor = decodeCursor(text.trim());
  if (cursor === null)
    throw new TrawlError("STORE_FAILED", `${path} is not the place of a consumer; delete it to begin again.`);
  return cursor;
}

export const keepPlace = (folder: string, consumer: string, cursor: StreamCursor): Promise<void> =>
  replaceFile(pathOf(folder, consumer), async (file) => void (await file.writeFile(`${encodeCursor(cursor)}\n`)));

/** A place in the snapshot that names this account becomes its beginning, as it does when the account is not found. */
export async function forgetInPlaces(folder: string, did: string): Promise<void> {
  for (const name of (await readdir(folder).catch(missingAsNull(folder))) ?? []) {
    const consumer = FILE.exec(name)?.[1];
    const cursor = consumer === undefined ? null : await placeOf(folder, consumer);
    if (cursor?.after === did) await keepPlace(folder, consumer!, { ...cursor, after: "" });
  }
}

/** All consumers begin again. */
export async function dropPlaces(folder: string): Promise<void> {
  for (const name of (await readdir(folder).catch(missingAsNull(folder))) ?? []) {
    if (FILE.test(name)) await rm(join(folder, name), { force: true });
  }
}

const pathOf = (folder: string, consumer: string): string => join(folder, `stream-${consumer}.cursor`);
