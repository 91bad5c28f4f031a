/** Builds dist, the contents of the package: the bundle, third-party notices, declarations, and the web app. */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareUi } from "../src/transports/http/web-app.ts";
import { writeBundle } from "./bundle.ts";
import { ROOT, runCommand, TSC } from "./command.ts";
import { thirdPartyNotices } from "./third-party-notices.ts";

const DIST = join(ROOT, "dist");

/** Into `folder`, which is `dist` for publishing. Returns whether it worked. */
export async function build(folder: string): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  // The web app stays: a server may be using it, and it is rebuilt only when its sources have changed.
  const old = readdirSync(folder).filter((name) => !/^\.?ui(-|$)/.test(name));
  for (const name of old) rmSync(join(folder, name), { recursive: true });
  const bundled = await writeBundle(folder);
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.md"), thirdPartyNotices(bundled));
  const { exitCode } = await runCommand([...TSC, "-p", "tsconfig.build.json", "--outDir", folder]);
  const ui = await prepareUi(ROOT, console.error);
  if (exitCode !== 0 || ui === null) return false;
  if (folder !== DIST) cpSync(ui, join(folder, "ui"), { recursive: true });
  return true;
}

if (import.meta.main) process.exitCode = (await build(DIST)) ? 0 : 1;
