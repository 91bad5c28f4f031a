/** A virtual screen (Xvfb), and pictures of it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { isExecutable } from "../../src/render/find-browser.ts";
import { type Picture, readXwd } from "./picture.ts";

const onPath = (command: string): string | null =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(isExecutable) ?? null;

export const chromium = onPath("chromium");

/** In CI a missing program is a failure, not a reason to skip; `tools/services.ts` installs both there. */
export const needsScreen =
  (chromium === null || onPath("Xvfb") === null) && process.env["CI"] !== "true"
    ? { skip: "needs Chromium and Xvfb: apt-get install chromium xvfb" }
    : {};

export interface Screen {
  /** For the DISPLAY variable. */
  display: string;
  take(): Picture;
  close(): Promise<void>;
}

export async function startScreen(): Promise<Screen> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-screen-"));
  // It takes the first free number and writes it to descriptor 3 when it is ready.
  const options = ["-displayfd", "3", "-screen", "0", "1440x900x24", "-fbdir", folder, "-nolisten", "tcp"];
  const child = spawn("Xvfb", options, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const [number] = await once(child.stdio[3] as Readable, "data");
  return {
    display: `:${String(number).trim()}`,
    take: () => readXwd(readFileSync(join(folder, "Xvfb_screen0"))),
    async close() {
      const closed = once(child, "close");
      child.kill();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
