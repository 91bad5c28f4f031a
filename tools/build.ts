/** Makes dist, what the package holds: the bundle, the notices of what is in it, declarations, and the web app. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareUi } from "../src/transports/http/ui-folder.ts";
import { writeBundle } from "./bundle.ts";
import { ROOT, runCommand, TSC } from "./command.ts";
import { thirdPartyNotices } from "./third-party-notices.ts";

const DIST = join(ROOT, "dist");

/** Returns whether it worked. */
async function build(): Promise<boolean> {
  mkdirSync(DIST, { recursive: true });
  // The web app stays: a server may be serving it, and it is built again only when its sources are newer.
  const old = readdirSync(DIST).filter((name) => !/^\.?ui(-|$)/.test(name));
  for (const name of old) rmSync(join(DIST, name), { recursive: true });
  const bundled = await writeBundle(DIST);
  writeFileSync(join(DIST, "THIRD-PARTY-NOTICES.md"), thirdPartyNotices(bundled));
  const { exitCode } = await runCommand([...TSC, "-p", "tsconfig.build.json"]);
  return exitCode === 0 && (await prepareUi(ROOT, console.error)) !== null;
}

process.exitCode = (await build()) ? 0 : 1;
