/** A Redis server for tests: Debian's server on a free port, with an append-only file in a folder that is removed. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { endProcess, freePort } from "../../testing/service-process.ts";

export interface TestRedis {
  address: string;
  flush(): Promise<void>;
  /** A client for inspecting it. */
  client: Redis;
  stop(): Promise<void>;
}

/** Null when it is not installed. */
export async function startRedis(): Promise<TestRedis | null> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-redis-"));
  const port = await freePort();
  const server = spawn(
    "redis-server",
    ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes", "--save", ""],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  if (!(await isReady(server))) {
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
  const client = new Redis(port, "127.0.0.1");
  return {
    address: `127.0.0.1:${port}`,
    client,
    async flush() {
      await client.flushall();
    },
    async stop() {
      client.disconnect();
      await endProcess(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(server: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.once("exit", () => resolve(false));
    let said = "";
    server.stdout!.on("data", (piece) => {
      said += piece;
      if (said.includes("Ready to accept connections")) resolve(true);
    });
  });
}
