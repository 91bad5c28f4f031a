/** Requests per second of HttpClient.fetch on loopback, compared with undici's `request` and the global `fetch` in one run. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { Agent, request } from "undici";
import { systemClock } from "../src/kernel/clock.ts";
import { HttpClient } from "../src/net/client.ts";

const BODY_BYTES = 28 * 1024;
const PARALLEL = 32;
const ROUNDS = 3;
const ROUND_MS = Number(process.env.BENCH_MS ?? 1_500);

function serve(): void {
  const words = "the quick brown fox jumps over the lazy dog while crawlers count links ".split(" ");
  let page = "<!doctype html><title>Page</title>";
  for (let index = 0; page.length < BODY_BYTES; index++) {
    page += `<p><a href="/p/${index}">${words[index % words.length]} ${(index * 7919) % 10007}</a></p>`;
  }
  const plain = Buffer.from(page.slice(0, BODY_BYTES));
  const zipped = gzipSync(plain);
  const server = createServer((incoming, response) => {
    const gzip = incoming.url === "/gzip";
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-length": gzip ? zipped.length : plain.length,
      ...(gzip ? { "content-encoding": "gzip" } : {}),
      etag: '"abc123"',
      "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT",
      "cache-control": "max-age=60",
    });
    response.end(gzip ? zipped : plain);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

/** Requests per second with `PARALLEL` loops, each sending the next request as soon as it has the answer. */
async function measure(ask: () => Promise<number>): Promise<number> {
  const end = performance.now() + ROUND_MS;
  let done = 0;
  const start = performance.now();
  const loop = async () => {
    while (performance.now() < end) {
      if ((await ask()) !== BODY_BYTES) throw new Error("a body of the wrong length");
      done++;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, loop));
  return (done * 1000) / (performance.now() - start);
}

async function main(): Promise<void> {
  const child = spawn(process.execPath, [import.meta.filename, "serve"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const origin = `http://127.0.0.1:${line.toString().trim()}`;
  const agent = new Agent({ connections: PARALLEL });
  const client = new HttpClient({
    userAgent: "trawl-bench",
    headers: {},
    cookies: null,
    proxy: null,
    connectTo: [],
    ca: null,
    insecure: false,
    http2: false,
    connectionsPerOrigin: PARALLEL,
    keepAliveMs: 5_000,
    limits: {
      wireBytes: 16 << 20,
      decodedBytes: 32 << 20,
      totalMs: 60_000,
      connectMs: 10_000,
      headersMs: 30_000,
      idleMs: 10_000,
      minBytesPerSecond: 100,
      minRateGraceMs: 10_000,
      headerBytes: 64 << 10,
    },
    allowPrivate: true,
    cacheDir: null,
    cacheMaxAgeMs: 0,
    clock: systemClock,
  });

  const ways: Record<string, () => Promise<number>> = {
    "undici request": async () => {
      const { body } = await request(`${origin}/`, { dispatcher: agent });
      return (await body.arrayBuffer()).byteLength;
    },
    "HttpClient.fetch": async () => (await client.fetch({ url: `${origin}/` })).body.length,
    "HttpClient.fetch, gzip": async () => (await client.fetch({ url: `${origin}/gzip` })).body.length,
    "global fetch": async () => (await (await fetch(`${origin}/`)).arrayBuffer()).byteLength,
    "global fetch, gzip": async () => (await (await fetch(`${origin}/gzip`)).arrayBuffer()).byteLength,
  };
  const rates: Record<string, number> = {};
  // In turns, and the best of each: other load on the machine can only slow them down.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, ask] of Object.entries(ways)) {
      const rate = await measure(ask);
      if (round > 0) rates[name] = Math.max(rates[name] ?? 0, rate);
    }
  }
  const base = rates["undici request"]!;
  console.log(`loopback, ${BODY_BYTES / 1024} KB bodies, ${PARALLEL} at once, Node ${process.version}`);
  for (const [name, rate] of Object.entries(rates)) {
    console.log(`${name.padEnd(24)} ${rate.toFixed(0).padStart(7)} requests/s  ${(rate / base).toFixed(2)} of undici`);
  }
  await client.destroy();
  await agent.destroy();
  child.kill();
}

if (process.argv[2] === "serve") serve();
else await main();
