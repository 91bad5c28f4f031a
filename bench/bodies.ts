/**
 * Memory under hostile bodies: crawls of servers whose answers are as large as they can be made. Each case is one crawl by the
 * command line in a process of its own; the server is another process. Exits with 1 when a case needs more than 400 MB.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { measure } from "./measure.ts";
import { circumstances, table, writeSection } from "./results.ts";

const MEGABYTE = 1_000_000;
const MOST_RESIDENT = 400 * 2 ** 20;
const TRAWL = fileURLToPath(new URL("../bin/trawl.js", import.meta.url));

interface Case {
  name: string;
  paths: string[];
  hosts: number;
  flags: string[];
}

const CASES: Record<string, Case> = {
  mixed: {
    name: "52 hosts: entity pages, gzip bombs, endless bodies; 16 at once",
    paths: ["/entities", "/bomb", "/endless"],
    hosts: 52,
    flags: ["--parallelism", "16"],
  },
  entities: {
    name: "eight entity pages of 45 MB on one host, default settings",
    paths: Array.from({ length: 8 }, (_, index) => `/entities?${index}`),
    hosts: 1,
    flags: [],
  },
  bomb: {
    name: "a gzip bomb of 1 MB, with the highest --max-bytes there is",
    paths: ["/bomb"],
    hosts: 1,
    flags: ["--max-bytes", "50000000"],
  },
  one: { name: "one entity page of 45 MB", paths: ["/entities"], hosts: 1, flags: [] },
  links: {
    name: "eight pages of 45 MB of links",
    paths: Array.from({ length: 8 }, (_, index) => `/links?${index}`),
    hosts: 1,
    flags: [],
  },
  latin: {
    name: "eight pages of 45 MB in another encoding",
    paths: Array.from({ length: 8 }, (_, index) => `/latin?${index}`),
    hosts: 1,
    flags: [],
  },
};

if (process.argv[2] === "serve") await serve();
else await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { trawl: { type: "string", default: TRAWL }, parallelism: { type: "string" } },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(CASES);
  const rows: string[][] = [];
  for (const name of names) {
    const each = CASES[name]!;
    if (values.parallelism !== undefined) each.flags.push("--parallelism", values.parallelism);
    const { peakBytes, wallSeconds, cut } = await run(each, values.trawl);
    const megabytes = peakBytes / 2 ** 20;
    rows.push([each.name, `${megabytes.toFixed(0)} MB`, `${wallSeconds.toFixed(1)} s`, cut]);
    console.log(rows.at(-1)!.join(" | "));
    if (peakBytes > MOST_RESIDENT) process.exitCode = 1;
  }
  const report = `${table(["case", "highest RSS", "time", "how the pages ended"], rows)}\n\n${circumstances(new Date())}`;
  console.log(report);
  if (positionals.length === 0 && values.trawl === TRAWL) writeSection("bodies", report);
}

async function run(each: Case, program: string): Promise<{ peakBytes: number; wallSeconds: number; cut: string }> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-bodies-"));
  const server = fork(fileURLToPath(import.meta.url), ["serve"]);
  try {
    const port = await portOf(server);
    const list = join(folder, "list.txt");
    const hosts = Array.from({ length: each.hosts }, (_, index) => `http://host${index}.test`);
    const urls = hosts.flatMap((host, index) =>
      each.hosts === 1 ? each.paths.map((path) => host + path) : host + each.paths[index % each.paths.length]!,
    );
    writeFileSync(list, urls.join("\n"));
    const command = [program, "list", list, "--connect-to", `::127.0.0.1:${port}`, "--retries", "0", "--json"];
    const environment = { TRAWL_HOME: folder };
    const { peakBytes, wallSeconds } = await measure({
      file: process.execPath,
      arguments: [...command, ...each.flags],
      environment,
    });
    const sql =
      "SELECT coalesce(error, truncated, 'whole') AS how, count(*) AS n, max(size) AS size FROM pages GROUP BY how";
    const asked = await measure({
      file: process.execPath,
      arguments: [program, "sql", "last", sql, "--json"],
      environment,
    });
    return { peakBytes, wallSeconds, cut: JSON.stringify((JSON.parse(asked.stdout) as { rows: unknown }).rows) };
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function portOf(server: ChildProcess): Promise<number> {
  const [port] = await once(server, "message");
  return port as number;
}

async function serve(): Promise<void> {
  const bomb = gzipSync(Buffer.alloc(1_000 * MEGABYTE, "<p>&amp; bomb "));
  const entities = Buffer.alloc(MEGABYTE, "&amp;&eacute;&notin; x");
  const links = Buffer.alloc(MEGABYTE, '<a href="/a?&amp;b=1">some text of a link</a> ');
  const latin = Buffer.alloc(MEGABYTE, "caf\xe9 \xfc &amp; ", "latin1");
  const server = createServer((request, response) => {
    response.on("error", () => {});
    const path = request.url!.split("?")[0];
    if (path === "/bomb")
      response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" }).end(bomb);
    else if (path === "/entities") send(response, entities, 45);
    else if (path === "/links") send(response, links, 45);
    else if (path === "/latin") send(response, latin, 45, "text/html; charset=windows-1252");
    else if (path === "/endless") send(response, entities, Number.POSITIVE_INFINITY);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
}

function send(response: ServerResponse, block: Buffer, blocks: number, type = "text/html"): void {
  response.writeHead(200, { "content-type": type });
  let sent = 0;
  const more = () => {
    while (sent < blocks && !response.destroyed) {
      sent++;
      if (!response.write(block)) return;
    }
    response.end();
  };
  response.on("drain", more);
  more();
}
