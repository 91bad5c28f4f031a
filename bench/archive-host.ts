/** The code host of the archive bench, in a separate process: `node bench/archive-host.ts '<options as JSON>'`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { makeCertificate } from "../src/net/testing/certificate.ts";
import { codeHost } from "../test/servers/code-host.ts";

export interface BenchHost {
  port: number;
  /** PEM of the authority that issued its certificate. */
  ca: string;
  /** How many pages links lead to and the github profile allows. */
  pages: number;
  /** Requests since the last call, as counted by the host; the second number counts each URL once. */
  requests(): Promise<{ all: number; urls: number }>;
  close(): Promise<void>;
}

export async function startHost(options: object): Promise<BenchHost> {
  const child = spawn(process.execPath, [import.meta.filename, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async <T>(): Promise<T> => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the code host has ended");
    return JSON.parse(value as string) as T;
  };
  const told = await next<Pick<BenchHost, "port" | "ca" | "pages">>();
  return {
    ...told,
    requests: () => {
      child.stdin.write("requests\n");
      return next();
    },
    close: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

if (process.argv[1] === import.meta.filename) {
  const certificate = await makeCertificate("github.com");
  const host = await codeHost({ ...(JSON.parse(process.argv[2] ?? "{}") as object), certificate });
  console.log(JSON.stringify({ port: host.port, ca: certificate.ca, pages: host.pages.length }));
  // Exits when its input ends, so that it never outlives the bench.
  for await (const _ of createInterface(process.stdin)) {
    const counts = host.counts();
    host.reset();
    console.log(
      JSON.stringify({ all: [...counts.values()].reduce((sum, count) => sum + count, 0), urls: counts.size }),
    );
  }
  await host.close();
}
