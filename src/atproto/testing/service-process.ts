/** Helpers for tests that run a third-party server: a port for it, and stopping it. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that systems give to whoever asks for any (from 32768 on Linux, from 49152 elsewhere): one of those could
 * go to a test that runs beside before the server has taken it.
 */
const FIRST_PORT = 10_000;
const PORTS = 20_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Resolves when it has ended, or was never started. */
export async function endProcess(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, "exit");
  server.kill("SIGKILL");
  await exited;
}
