/** Packs Trawl as it would be published, and lays it where `npm install` would, without a network. */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runCommand } from "./command.ts";

/** What the bundle leaves to npm. */
const OUTSIDE = ["puppeteer-core"];

/** Installs into `folder`/node_modules; returns where the package then is. */
export async function installPackage(folder: string): Promise<string> {
  const modules = join(folder, "node_modules");
  const installed = join(modules, "trawl");
  rmSync(modules, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  const packed = await run(["npm", "pack", "--silent", "--pack-destination", folder]);
  const file = join(folder, packed.trim().split("\n").at(-1)!);
  await run(["tar", "-xzf", file, "-C", installed, "--strip-components=1"]);
  rmSync(file);
  for (const name of OUTSIDE) symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "junction");
  return installed;
}

async function run(command: string[]): Promise<string> {
  const { exitCode, output } = await runCommand(command, { quiet: true });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${output}`);
  return output;
}
