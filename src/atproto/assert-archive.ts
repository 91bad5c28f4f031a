/**
 * What a folder must contain before a command reads it. With a misspelt name, the answer would otherwise be that there
 * is nothing to find.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import { FOLLOW_FILE, STATE_FILE } from "./folder-files.ts";
import { eventSegments } from "./follow/event-segments.ts";
import { readableSegments } from "./rca/format/segment-names.ts";

/** Segments of repos, recorded events, or both. */
export async function assertRecorded(folder: string): Promise<void> {
  if ((await readableSegments(folder)).length + (await eventSegments(folder)).length > 0) return;
  throw new TrawlError("NO_SEGMENTS", `${folder} has no .rca segments and no recorded events.`);
}

/** The same, or only what a crawl or a follower knows. */
export async function assertArchive(folder: string): Promise<void> {
  if ([STATE_FILE, FOLLOW_FILE].some((name) => existsSync(join(folder, name)))) return;
  await assertRecorded(folder);
}
