/** Where the built web app is. An installed package has it; a checkout builds it when its sources are newer. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const BUILDER = "tools/build-ui.ts";

export interface Built {
  isBuilt: boolean;
  /** What the builder said, when it failed. */
  problem: string;
}

/** The folder to serve; null when there is none and none can be built. */
export async function prepareUi(
  root: string,
  say: (line: string) => void,
  build: (root: string) => Promise<Built> = runBuilder,
): Promise<string | null> {
  const folder = join(root, "dist", "ui");
  const page = join(folder, "index.html");
  const sources = join(root, "ui");
  if (existsSync(join(root, BUILDER)) && existsSync(sources) && isOlder(page, sources)) {
    say("building the web app…");
    const { isBuilt, problem } = await build(root);
    if (!isBuilt) say(`The web app could not be built: ${problem}`);
  }
  return existsSync(page) ? folder : null;
}

function isOlder(page: string, sources: string): boolean {
  if (!existsSync(page)) return true;
  const built = statSync(page).mtimeMs;
  const entries = readdirSync(sources, { recursive: true, withFileTypes: true });
  return entries.some((entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).mtimeMs > built);
}

async function runBuilder(root: string): Promise<Built> {
  const child = spawn(process.execPath, [join(root, BUILDER)], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number>((resolve) => {
    child.once("error", () => resolve(1));
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  const said = (await Promise.all([text(child.stdout), text(child.stderr)])).join("").trim().split("\n");
  return { isBuilt: (await code) === 0, problem: said.find((line) => /error/i.test(line)) ?? said.at(-1) ?? "" };
}
