/** Many hosts of the same size on 127.0.0.0/8, in a process of their own. Every answer is delayed by the same time. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const HOSTS = 200;

export const hostAt = (index: number): string => `127.1.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`;

const PARAGRAPH =
  "<p>Nets, lines and traps: what a trawler brings home depends on where it goes and how long it waits. </p>";

/** A tree of pages of about 4 KB with ten links, one of them to another host. The first page of all leads to every host. */
function page(hosts: number, pages: number, index: number, at: number, port: number): string {
  const hrefs = Array.from({ length: 8 }, (_, nth) => `/p${(at * 7 + nth * 3 + 1) % pages}`);
  for (const child of [at * 2 + 1, at * 2 + 2]) if (child < pages) hrefs.push(`/p${child}`);
  hrefs.push(`http://${hostAt((index + 1 + (at % 5)) % hosts)}:${port}/p${at}`);
  if (index === 0 && at === 0)
    for (let other = 1; other < hosts; other++) hrefs.push(`http://${hostAt(other)}:${port}/p0`);
  const links = hrefs.map((href, nth) => `<li><a href="${href}">Catch number ${nth}</a></li>`).join("");
  return `<!doctype html><title>Page ${at} of host ${index}</title><h1>Page ${at}</h1><ul>${links}</ul>${PARAGRAPH.repeat(30)}`;
}

export interface Site {
  url: string;
  /** A file of settings that name its hosts. */
  config: string;
  /** Requests answered so far, of every kind, including those for robots.txt. */
  answered(): Promise<number>;
  close(): void;
}

export async function site(pages: number, latencyMs: number): Promise<Site> {
  const arguments_ = [HOSTS, pages, latencyMs].map(String);
  const server = fork(import.meta.filename, arguments_);
  const [port] = (await once(server, "message")) as [number];
  const hosts = Array.from({ length: HOSTS }, (_, index) => `${hostAt(index)}:${port}`);
  const folder = mkdtempSync(join(tmpdir(), "trawl-fleet-bench-"));
  const config = join(folder, "config.yaml");
  writeFileSync(config, JSON.stringify({ allowedDomains: hosts }));
  const close = () => {
    server.disconnect();
    rmSync(folder, { recursive: true });
  };
  const answered = async () => {
    server.send("answered");
    return ((await once(server, "message")) as [number])[0];
  };
  return { url: `http://${hosts[0]}/p0`, config, answered, close };
}

export const settings = (parallelism: number, config: string): string[] => [
  ...["--config", config, "--allow-private", "--rate", "0", "--parallelism", String(parallelism)],
  ...["--no-audit", "--no-stop-traps"],
];

function serve(hosts: number, pages: number, latencyMs: number): void {
  const indexOf = new Map(Array.from({ length: hosts }, (_, index) => [hostAt(index), index]));
  let answered = 0;
  const server = createServer((request, response) => {
    const index = indexOf.get(request.headers.host!.split(":")[0]!)!;
    const { port } = server.address() as AddressInfo;
    const at = Number(/^\/p(\d+)$/.exec(request.url!)?.[1] ?? Number.NaN);
    const answer = () => {
      answered++;
      if (!(at < pages)) return response.writeHead(404).end();
      response.setHeader("content-type", "text/html");
      response.end(page(hosts, pages, index, at, port));
    };
    if (latencyMs > 0) setTimeout(answer, latencyMs);
    else answer();
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "0.0.0.0", 4_096, () => process.send!((server.address() as AddressInfo).port));
  process.on("message", () => process.send!(answered));
  process.on("disconnect", () => process.exit());
}

if (import.meta.main) serve(...(process.argv.slice(2).map(Number) as [number, number, number]));
