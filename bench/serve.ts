/**
 * How long `/health` takes while the server does something large for another client, and how fast links are exported.
 * On a busy machine `/health` waits for a processor like everything else, so the server also reports how much processor
 * time its main thread spent between two checks of its timers: others have to wait that long whatever the machine does.
 *
 * `node bench/serve.ts [--links 2400000]`; the server runs in a process of its own.
 */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { App } from "../src/app/app.ts";
import { openHome } from "../src/app/home.ts";
import { startServer } from "../src/transports/http/server.ts";
import { addBigCrawl } from "./big-crawl.ts";

const { values: options } = parseArgs({ options: { links: { type: "string", default: "2400000" } } });
const ROLE = "TRAWL_BENCH_HOME";
/** Loads that would take longer are ended. */
const LONGEST_MS = 30_000;

interface Ready {
  url: string;
  token: string | null;
  id: number;
}

if (process.env[ROLE] === undefined) await measure();
else await serve(process.env[ROLE]);

async function serve(folder: string): Promise<void> {
  const app = new App({ version: "0.0.0", home: openHome({ TRAWL_HOME: folder }), updateCheck: false, isServer: true });
  const links = Number(options.links);
  const id = addBigCrawl(app, { pages: Math.ceil(links / 48), links });
  const { url, token } = await startServer(app, { port: 0 });
  process.send!({ url, token, id } satisfies Ready);
  const spent = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let turns: number[] = [];
  let last = spent();
  setInterval(() => {
    const now = spent();
    turns.push(now - last);
    last = now;
  }, 2);
  process.on("message", (message) => {
    const sorted = turns.toSorted((a, b) => a - b);
    turns = [];
    const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
    if (message === "report") process.send!({ p99: at(0.99), most: at(1) } satisfies Turns);
  });
}

/** The turns of the server's event loop, in ms of processor time. */
interface Turns {
  p99: number;
  most: number;
}

async function turnsOf(server: ChildProcess): Promise<Turns> {
  server.send("report");
  return new Promise((resolve) => server.once("message", (message) => resolve(message as Turns)));
}

/** Pages with links to each other, for a crawl that does not end by itself soon. */
async function site(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const at = Number(/\d+/.exec(request.url ?? "")?.[0] ?? 0);
    const links = Array.from({ length: 40 }, (_, index) => `<li><a href="/page-${at * 7 + index}">Page ${index}</a>`);
    response.setHeader("content-type", "text/html");
    response.end(`<title>Page ${at}</title><ul>${links.join("")}</ul><p>${`word${at} `.repeat(200)}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-bench-"));
  const server = fork(import.meta.filename, process.argv.slice(2), { env: { ...process.env, [ROLE]: folder } });
  try {
    const ready = await new Promise<Ready>((resolve) => server.once("message", (message) => resolve(message as Ready)));
    console.log(
      "load                    | took ms | /health n |   p50 ms |   p99 ms |   max ms | turn p99 | turn max | note",
    );
    const crawled = await site();
    const loads = loadsOf(ready, crawled.url);
    for (const [name, load] of loads) await underLoad(ready, server, name, load);
    crawled.close();
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Load = (signal: AbortSignal) => Promise<string>;

function loadsOf({ url, token, id }: Ready, site: string): [name: string, load: Load][] {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token !== null) headers["authorization"] = `Bearer ${token}`;
  const get = async (path: string, signal: AbortSignal): Promise<string> => {
    const response = await fetch(`${url}/api/v1${path}`, { headers, signal });
    await response.arrayBuffer();
    return String(response.status);
  };
  const post = async (path: string, body: unknown, signal: AbortSignal): Promise<string> => {
    const init = { method: "POST", headers, body: JSON.stringify(body), signal };
    const response = await fetch(`${url}/api/v1${path}`, init);
    await response.arrayBuffer();
    return String(response.status);
  };
  const include = Array.from({ length: 2_000 }, (_, index) => `/(foo|bar|baz){1,10}x${index}(a+)+$/`);
  const urls = Array.from({ length: 100 }, (_, index) => `https://big.example/foobarbaz/${index}`);
  const endless = `WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 20000000) SELECT count(*) FROM t`;
  const loads: [name: string, load: Load][] = [
    ["nothing", () => new Promise((resolve) => setTimeout(() => resolve(""), 3_000))],
    ["export of all links", (signal) => exported(`${url}/api/v1/crawls/${id}/export?what=links`, headers, signal)],
    ["list, sorted by title", (signal) => get(`/crawls/${id}/urls?sort=-title`, signal)],
    ["graph", (signal) => get(`/crawls/${id}/graph?nodes=2000`, signal)],
    ["overview", (signal) => get(`/crawls/${id}/overview`, signal)],
    [
      "2,000 patterns",
      (signal) => post("/rules/test", { start: "https://big.example/", urls, settings: { include } }, signal),
    ],
    [
      "20 SQL queries",
      async (signal) => {
        const query = () => post(`/crawls/${id}/sql`, { sql: endless, timeoutMs: 5_000 }, signal);
        const statuses = await Promise.all(Array.from({ length: 20 }, query));
        return [...new Set(statuses)]
          .map((one) => `${one} × ${statuses.filter((each) => each === one).length}`)
          .join(", ");
      },
    ],
  ];
  const crawl: Load = async (signal) => {
    await post("/crawl", { url: site, settings: { maxUrls: 5_000, stopTraps: false } }, signal);
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    return "";
  };
  const wanted = ["export of all links", "2,000 patterns", "20 SQL queries"];
  const together = loads.filter(([name]) => wanted.includes(name)).map(([, load]) => load);
  const all: Load = async (signal) =>
    (await Promise.all([crawl, ...together].map((load) => load(signal)))).filter(Boolean).join("; ");
  return [...loads, ["a crawl", crawl], ["all that, and a crawl", all]];
}

async function exported(address: string, headers: Record<string, string>, signal: AbortSignal): Promise<string> {
  const began = performance.now();
  const response = await fetch(address, { headers, signal });
  let rows = -1;
  try {
    for await (const chunk of response.body!) for (const byte of chunk) if (byte === 10) rows++;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return `${rows} rows, ${Math.round((rows * 1_000) / (performance.now() - began))} rows/s${signal.aborted ? ", ended" : ""}`;
}

async function underLoad({ url }: Ready, server: ChildProcess, name: string, load: Load): Promise<void> {
  server.send("reset");
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), LONGEST_MS);
  const began = performance.now();
  let isOver = false;
  const loaded = load(abort.signal)
    .catch((error: Error) => error.name)
    .finally(() => {
      isOver = true;
    });
  const times: number[] = [];
  let lost = 0;
  while (!isOver) {
    const asked = performance.now();
    // A server that does not get round to reading its sockets loses connections; the time until it does counts.
    await fetch(`${url}/api/v1/health`).then(
      (response) => response.arrayBuffer(),
      () => lost++,
    );
    times.push(performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  clearTimeout(timer);
  times.sort((a, b) => a - b);
  const at = (share: number): string =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1).padStart(8);
  const loop = await turnsOf(server);
  const ms = (value: number): string => value.toFixed(1).padStart(8);
  const took = String(Math.round(performance.now() - began)).padStart(7);
  console.log(
    `${name.padEnd(23)} | ${took} | ${String(times.length).padStart(9)} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${ms(loop.p99)} | ${ms(loop.most)} | ${await loaded}${lost > 0 ? `, ${lost} lost` : ""}`,
  );
}
