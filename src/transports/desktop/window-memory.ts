/** What is stored between starts: the position of the window, and the server's port. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const place = z.object({
  left: z.int(),
  top: z.int(),
  // A window too small to be grabbed is not restored.
  width: z.int().min(320),
  height: z.int().min(240),
  isMaximized: z.boolean(),
});
export type WindowPlace = z.infer<typeof place>;

const memory = z.object({
  /** The same port again if it is free, because the browser stores data, such as the theme, per address. */
  port: z.int().min(0).max(65_535).catch(0),
  place: place.nullable().catch(null),
});
export type WindowMemory = z.infer<typeof memory>;

const path = (folder: string): string => join(folder, "window.json");

export function readWindowMemory(folder: string): WindowMemory {
  try {
    return memory.parse(JSON.parse(readFileSync(path(folder), "utf8")));
  } catch {
    // The first start, or a damaged file: the window opens at the default position.
    return { port: 0, place: null };
  }
}

export function writeWindowMemory(folder: string, remembered: WindowMemory): void {
  const fresh = `${path(folder)}.new`;
  writeFileSync(fresh, `${JSON.stringify(remembered)}\n`, { mode: 0o600 });
  renameSync(fresh, path(folder));
}
