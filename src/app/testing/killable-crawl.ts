/** A crawl in a separate process, running when this resolves. It is killed at the end of the test, if not before. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Home } from "../home.ts";

const SCRIPT = fileURLToPath(new URL("./crawl-child.ts", import.meta.url));

export async function startKillableCrawl(t: TestContext, home: Home, url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [SCRIPT, url], {
    env: { ...process.env, TRAWL_HOME: home.root },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  return child;
}
