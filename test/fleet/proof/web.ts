/**
 * The hosts of a proof, in a process of their own, so that its log is not late because the prover is busy. Every request is logged
 * with the machine's monotonic time and the requests of the same host that were still open.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  /** CLOCK_MONOTONIC in ms, the same in every process of the machine. */
  at: number;
  host: string;
  path: string;
  /** The client's port, and those of requests to the same host that are not answered yet. */
  port: number;
  open: number[];
}

export interface WebNews {
  port?: number;
  log?: Asked[];
}

export const hostAt = (index: number): string => `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`;

const now = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** A tree of pages; each page also leads to another host, some through a redirect, and some links are broken. */
function page(hosts: number, pages: number, index: number, at: number, port: number): string {
  const other = `http://${hostAt((index + 1 + (at % 7)) % hosts)}:${port}`;
  const links = [at * 2 + 1, at * 2 + 2].filter((next) => next < pages).map((next) => `/p${next}`);
  links.push(at % 5 === 0 ? `${other}/r${at}` : `${other}/p${at}`);
  if (at % 11 === 3) links.push(`/missing${at}`);
  return `<title>${at}</title><p>page ${at} of host ${index}</p>${links.map((href) => `<a href="${href}">to</a>`).join("")}`;
}

function serve(hosts: number, pages: number): void {
  const indexOf = new Map(Array.from({ length: hosts }, (_, index) => [hostAt(index), index]));
  const open = new Map<string, Set<number>>();
  let log: Asked[] = [];
  const server = createServer((request, response) => {
    const at = now();
    const [host] = request.headers.host!.split(":") as [string];
    const path = request.url!;
    const port = request.socket.remotePort!;
    const ports = open.get(host) ?? new Set();
    open.set(host, ports);
    log.push({ at, host, path, port, open: [...ports] });
    ports.add(port);
    response.once("close", () => ports.delete(port));
    const index = indexOf.get(host)!;
    const own = (server.address() as AddressInfo).port;
    const redirect = /^\/r(\d+)$/.exec(path);
    const number = path === "/" ? 0 : Number(/^\/p(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    setTimeout(
      () => {
        if (redirect !== null) response.writeHead(302, { location: `/p${redirect[1]}` }).end();
        else if (!(number < pages)) response.writeHead(404).end();
        else {
          response.setHeader("content-type", "text/html");
          response.end(page(hosts, pages, index, number, own));
        }
      },
      5 + ((index * 7 + path.length * 13) % 40),
    );
  });
  server.keepAliveTimeout = 3_000;
  server.listen(0, "0.0.0.0", 4_096, () => process.send!({ port: (server.address() as AddressInfo).port }));
  process.on("message", () => {
    process.send!({ log } satisfies WebNews);
    log = [];
  });
  process.on("disconnect", () => process.exit());
}

if (import.meta.main) serve(Number(process.argv[2]), Number(process.argv[3]));
