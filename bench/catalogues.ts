/**
 * Large honest sites are not cut: Debian's documentation packages, each crawled twice with the default settings, once
 * with the detection of traps and once without. Exits with 1 when a URL was fetched only without it.
 *
 * `node bench/catalogues.ts [package …]`; packages are downloaded with apt and unpacked into `.cache`, not installed.
 */
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { openHome } from "../src/app/home.ts";
import { measure } from "./measure.ts";
import { circumstances, table, writeSection } from "./results.ts";

const TRAWL = fileURLToPath(new URL("../bin/trawl.js", import.meta.url));
const CACHE = fileURLToPath(new URL(".cache/catalogues", import.meta.url));
const ROLE = "TRAWL_BENCH_CATALOGUE";

/** Each with the page to start at. */
const CATALOGUES: Record<string, string> = {
  "python3.11-doc": "usr/share/doc/python3.11/html/index.html",
  "postgresql-doc-15": "usr/share/doc/postgresql-doc-15/html/index.html",
  "sqlite3-doc": "usr/share/doc/sqlite3/index.html",
  "python-scipy-doc": "usr/share/doc/python-scipy-doc/html/index.html",
  "cppreference-doc-en-html": "usr/share/cppreference/doc/html/en/index.html",
  "libboost1.81-doc": "usr/share/doc/libboost1.81-doc/doc/html/index.html",
  "libeigen3-doc": "usr/share/doc/libeigen3-dev/html/index.html",
  "openjdk-17-doc": "usr/share/doc/openjdk-17-jre-headless/api/index.html",
  "rust-doc": "usr/share/doc/rust-doc/html/index.html",
};

const TYPES: Record<string, string> = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".xml": "text/xml" };

if (process.env[ROLE] === undefined) await compareAll(process.argv.slice(2));
else serve(process.env[ROLE]);

function serve(root: string): void {
  const server = createServer((request, response) => {
    const path = join(root, filePath(request.url ?? "/"));
    const file = [path, join(path, "index.html")].find((name) => statSync(name, { throwIfNoEntry: false })?.isFile());
    if (file === undefined) response.writeHead(404, { "content-type": "text/html" }).end("<h1>Nothing here</h1>");
    else {
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
      createReadStream(file).pipe(response);
    }
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
  process.once("disconnect", () => process.exit());
}

/** As the file is named; no file if the address is not encoded properly. */
function filePath(address: string): string {
  try {
    return decodeURIComponent(new URL(address, "http://site").pathname);
  } catch {
    return "no-such-file";
  }
}

function unpack(name: string): string {
  const folder = join(CACHE, name);
  if (existsSync(join(folder, CATALOGUES[name]!))) return folder;
  mkdirSync(folder, { recursive: true });
  execFileSync("apt-get", ["download", name], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  for (const file of globSync(`${name}_*.deb`, { cwd: folder })) {
    execFileSync("dpkg-deb", ["-x", join(folder, file), folder]);
    rmSync(join(folder, file));
  }
  return folder;
}

interface Fetched {
  urls: Set<string>;
  pages: number;
  traps: number;
}

/** What one crawl fetched, without the made-up address of the check for soft 404s. */
async function crawl(url: string, flags: string[]): Promise<Fetched> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-catalogues-"));
  try {
    const rest = ["--no-audit", "--no-check-external-resources", "--parallelism", "16", "-q", ...flags];
    await measure({
      file: process.execPath,
      arguments: [TRAWL, "crawl", url, ...rest],
      environment: { TRAWL_HOME: folder },
    });
    using db = new DatabaseSync(openHome({ TRAWL_HOME: folder }).crawlDatabase(1), { readOnly: true });
    const rows = db
      .prepare(
        "SELECT url, status, content_type AS type FROM urls JOIN pages USING (id) WHERE url NOT LIKE '%/no-such-page-%'",
      )
      .all() as { url: string; status: number; type: string | null }[];
    const { traps } = db.prepare("SELECT count(*) AS traps FROM urls WHERE reason = 'trap_no_yield'").get() as {
      traps: number;
    };
    const pages = rows.filter(({ status, type }) => status === 200 && type === "text/html").length;
    return { urls: new Set(rows.map((row) => row.url)), pages, traps };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compare(name: string): Promise<{ row: string[]; lost: string[] }> {
  const site = fork(fileURLToPath(import.meta.url), { env: { ...process.env, [ROLE]: unpack(name) } });
  try {
    const [port] = (await once(site, "message")) as [number];
    const url = `http://127.0.0.1:${port}/${CATALOGUES[name]}`;
    const [stopping, open] = [await crawl(url, []), await crawl(url, ["--no-stop-traps"])];
    const lost = [...open.urls].filter((one) => !stopping.urls.has(one));
    const figures = [open.pages, open.urls.size, stopping.urls.size, stopping.traps, lost.length];
    return { row: [name, ...figures.map((figure) => figure.toLocaleString("en"))], lost };
  } finally {
    site.kill();
  }
}

async function compareAll(names: string[]): Promise<void> {
  const rows: string[][] = [];
  for (const name of names.length > 0 ? names : Object.keys(CATALOGUES)) {
    const { row, lost } = await compare(name);
    console.log(row.join("  "), lost.slice(0, 5).join(" "));
    if (lost.length > 0) process.exitCode = 1;
    rows.push(row);
  }
  const head = ["package", "pages", "URLs fetched without the detection", "with it", "refused as traps", "lost"];
  const verdict = `- ${process.exitCode === 1 ? "**not met**" : "met"}: not one URL lost`;
  const text = `## Honest catalogues: Debian's documentation, with and without the detection of traps

${circumstances(new Date())}. Default settings without the audit and resources of other hosts, 16 at once.

${table(head, rows)}

${verdict}
`;
  if (names.length === 0) writeSection("catalogues", text);
  else console.log(text);
}
