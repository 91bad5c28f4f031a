/** Packs Trawl as it would be published, and installs it as `npm install` would, without a network. */
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { build } from "./build.ts";
import { ROOT, runCommand } from "./command.ts";

/** Packages that are not in the bundle: a library, and the Node that npm installs for this platform. */
const OUTSIDE = ["puppeteer-core", "axe-core", ...Object.keys(manifest.optionalDependencies)];

/** What npm packs in addition to the build. */
const PACKED = ["package.json", "README.md", "LICENSE", "CHANGELOG.md", "bin"];

/** Installs into `folder`/node_modules; returns the path of the installed package. */
export async function installPackage(folder: string): Promise<string> {
  const modules = join(folder, "node_modules");
  const installed = join(modules, "trawl");
  rmSync(modules, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  // In a separate folder: the checkout's dist may be in use, or another run may be building it.
  const source = join(folder, "source");
  for (const name of PACKED) cpSync(join(ROOT, name), join(source, name), { recursive: true });
  if (!(await build(join(source, "dist")))) throw new Error("the package could not be built");
  const packed = await run(["npm", "pack", source, "--silent", "--ignore-scripts", "--pack-destination", folder]);
  const file = join(folder, packed.trim().split("\n").at(-1)!);
  await run(["tar", "-xzf", file, "-C", installed, "--strip-components=1"]);
  for (const path of [file, source]) rmSync(path, { recursive: true });
  const present = OUTSIDE.filter((name) => existsSync(join(ROOT, "node_modules", name)));
  for (const name of present) symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "junction");
  return installed;
}

async function run(command: string[]): Promise<string> {
  const { exitCode, output } = await runCommand(command, { quiet: true });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${output}`);
  return output;
}
