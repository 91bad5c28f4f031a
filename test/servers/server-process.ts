/** Starts serve.ts as a child process, for tests and benchmarks that must not share a process with their server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface ServerProcess {
  url: string;
  port: number;
  pid: number;
  /** What GET /__stats returns. */
  stats<Stats>(): Promise<Stats>;
  close(): Promise<void>;
}

export async function startServerProcess(kind: "counting" | "big", options: object): Promise<ServerProcess> {
  const script = fileURLToPath(new URL("serve.ts", import.meta.url));
  const child = spawn(process.execPath, [script, kind, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const first = once(createInterface(child.stdout), "line");
  const died = exited.then(([code]) => Promise.reject(new Error(`the test server ended with ${code}`)));
  const [line] = await Promise.race([first, died]);
  // From here on the exit is expected, whenever it comes.
  died.catch(() => {});
  const { port } = JSON.parse(line as string) as { port: number };
  const url = `http://127.0.0.1:${port}/`;
  return {
    url,
    port,
    pid: child.pid!,
    stats: async () => (await fetch(`${url}__stats`)).json() as never,
    close: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
