/** Builds the web app into dist/ui. Beside the old one first, so that a server never serves half of it. */
import { mkdirSync, renameSync, rmSync } from "node:fs";
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
    rmSync(join(DIST, "ui"), { recursive: true, force: true });
    renameSync(fresh, join(DIST, "ui"));
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exitCode = (await buildUi()) ? 0 : 1;
