/** Builds the web app into dist/ui. The new build replaces the old one as a whole, so that a server never serves half of it. */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runCommand, script } from "./command.ts";

const DIST = join(ROOT, "dist");

/** Returns whether it worked. */
export async function buildUi(): Promise<boolean> {
  mkdirSync(DIST, { recursive: true });
  const fresh = join(DIST, `.ui-${process.pid}`);
  const vite = script("node_modules/vite/bin/vite.js", "build", "--config", "ui/vite.config.ts");
  try {
    const { exitCode } = await runCommand([...vite, "--outDir", fresh, "--logLevel", "warn"]);
    if (exitCode !== 0) return false;
    replace(join(DIST, "ui"), fresh);
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Two renames, so the folder is missing only for an instant. Retried when another build replaces it at the same moment. */
function replace(folder: string, fresh: string): void {
  const old = `${fresh}-old`;
  for (;;) {
    try {
      if (existsSync(folder)) renameSync(folder, old);
      renameSync(fresh, folder);
      break;
    } catch (error) {
      if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code!)) throw error;
    }
    rmSync(old, { recursive: true, force: true });
  }
  rmSync(old, { recursive: true, force: true });
}

if (import.meta.main) process.exitCode = (await buildUi()) ? 0 : 1;
