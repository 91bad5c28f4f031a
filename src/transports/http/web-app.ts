/** The web app, at every path without another route: where it is built, its files, and index.html for its screens. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Context } from "hono";
import { html } from "hono/html";
import { getMimeType } from "hono/utils/mime";
import { TrawlError } from "../../errors.ts";
import { htmlPage } from "./html-page.ts";
import { methodNotAllowed } from "./problem.ts";

export interface WebApp {
  /** Files that any browser may fetch. */
  isFile(path: string): boolean;
  answer(c: Context): Promise<Response>;
}

/** `folder` is null when there is no web app to serve: then only the API is served, and a page says so. */
export function createWebApp(folder: string | null): WebApp {
  const files = folder === null ? null : new StaticFiles(folder);
  return {
    isFile: (path) => path !== "/index.html" && files?.has(path) === true,
    async answer(c) {
      const { path, method } = c.req;
      if (method !== "GET" && method !== "HEAD") return methodNotAllowed(["get"]);
      // A missing script must not be answered with a page. Addresses of screens have no dot in their last segment.
      const isScreen = path !== "/" && !/\.[^/]*$/.test(path) && !path.startsWith("/assets/");
      const wanted = path === "/" || isScreen ? "/index.html" : path;
      const answer = await files?.answer(wanted, c.req.raw.headers);
      if (answer != null) return answer;
      if (files === null && wanted === "/index.html") return c.html(NO_WEB_APP);
      throw new TrawlError("PATH_NOT_FOUND");
    },
  };
}

const NO_WEB_APP = htmlPage({
  title: "Trawl",
  head: "",
  body: html`<main>
    <h1>Trawl is running, without its web app</h1>
    <p>
      The API works: <a href="/docs">its documentation</a>, <a href="/openapi.json">OpenAPI</a>,
      <a href="/metrics">metrics</a>.
    </p>
    <p>In a checkout, <code>npm install</code> and <code>trawl serve</code> build the web app; without <code>--no-ui</code>.</p>
  </main>`,
});

/**
 * The files of the web app. They are listed once, and only listed files are opened: requested paths never reach the disk, so
 * none can lead out of the folder.
 */
const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };
type Coding = keyof typeof compressors;

/** Compressing smaller files gains nothing. */
const LEAST_COMPRESSED_BYTES = 1_024;
const COMPRESSIBLE = /^(?:text\/|application\/(?:javascript|json|manifest\+json|wasm)|image\/svg\+xml)/;
/** Vite puts a hash of the content into the names below this folder. */
const HASHED = /^\/assets\//;
const YEAR_SECONDS = 31_536_000;

interface StaticFile {
  type: string;
  etag: string;
  /** The plain file, and the encodings compressed so far. */
  bodies: Map<Coding | "identity", Uint8Array<ArrayBuffer>>;
}

export class StaticFiles {
  readonly #folder: string;
  readonly #names: ReadonlyMap<string, string>;
  readonly #files = new Map<string, StaticFile>();

  constructor(folder: string) {
    this.#folder = folder;
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    this.#names = new Map(names.map((name) => [`/${name.split(sep).join("/")}`, name]));
  }

  has(path: string): boolean {
    return this.#names.has(path);
  }

  /** Null when there is no such file. */
  async answer(path: string, headers: Headers): Promise<Response | null> {
    const file = this.#open(path);
    if (file === null) return null;
    const answered = {
      etag: file.etag,
      "cache-control": HASHED.test(path) ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache",
      vary: "Accept-Encoding",
    };
    if (matches(headers.get("if-none-match"), file.etag)) return new Response(null, { status: 304, headers: answered });
    const coding = chooseCoding(file, headers.get("accept-encoding") ?? "");
    const body = await bodyIn(file, coding);
    const encoded: Record<string, string> = coding === "identity" ? {} : { "content-encoding": coding };
    return new Response(body, {
      headers: { ...answered, ...encoded, "content-type": file.type, "content-length": String(body.length) },
    });
  }

  #open(path: string): StaticFile | null {
    const name = this.#names.get(path);
    if (name === undefined) return null;
    let file = this.#files.get(path);
    if (file === undefined) {
      const body = new Uint8Array(readFileSync(join(this.#folder, name)));
      const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
      file = {
        type: getMimeType(name) ?? "application/octet-stream",
        // Weak: the same file is sent in several encodings.
        etag: `W/"${hash}"`,
        bodies: new Map([["identity", body]]),
      };
      this.#files.set(path, file);
    }
    return file;
  }
}

const matches = (given: string | null, etag: string): boolean =>
  given !== null && (given.trim() === "*" || given.split(",").some((one) => one.trim() === etag));

function chooseCoding({ type, bodies }: StaticFile, accepted: string): Coding | "identity" {
  if (!COMPRESSIBLE.test(type) || bodies.get("identity")!.length < LEAST_COMPRESSED_BYTES) return "identity";
  const offers = accepted.split(",").map((offer) => offer.trim().toLowerCase());
  const takes = (coding: Coding) =>
    offers.some((offer) => offer.split(";")[0]!.trim() === coding && !/;\s*q=0(?:\.0*)?$/.test(offer));
  return takes("br") ? "br" : takes("gzip") ? "gzip" : "identity";
}

async function bodyIn(file: StaticFile, coding: Coding | "identity"): Promise<Uint8Array<ArrayBuffer>> {
  const known = file.bodies.get(coding);
  if (known !== undefined) return known;
  const body = new Uint8Array(await compressors[coding as Coding](file.bodies.get("identity")!));
  file.bodies.set(coding, body);
  return body;
}

/** Where the built web app is. An installed package has it; a checkout builds it when its sources are newer. */
const BUILDER = "tools/build-ui.ts";

export interface Built {
  isBuilt: boolean;
  /** The builder's output, if it failed. */
  problem: string;
}

/** The folder to serve; null if there isn't one and none can be built. */
export async function prepareUi(
  root: string,
  say: (line: string) => void,
  build: (root: string) => Promise<Built> = runBuilder,
): Promise<string | null> {
  const folder = join(root, "dist", "ui");
  const page = join(folder, "index.html");
  const sources = join(root, "ui");
  if (existsSync(join(root, BUILDER)) && existsSync(sources) && isOlder(page, sources)) {
    say("building the web app…");
    const { isBuilt, problem } = await build(root);
    if (!isBuilt) say(`The web app could not be built: ${problem}`);
  }
  return existsSync(page) ? folder : null;
}

function isOlder(page: string, sources: string): boolean {
  if (!existsSync(page)) return true;
  const built = statSync(page).mtimeMs;
  const entries = readdirSync(sources, { recursive: true, withFileTypes: true });
  return entries.some((entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).mtimeMs > built);
}

async function runBuilder(root: string): Promise<Built> {
  const child = spawn(process.execPath, [join(root, BUILDER)], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number>((resolve) => {
    child.once("error", () => resolve(1));
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  const said = (await Promise.all([text(child.stdout), text(child.stderr)])).join("").trim().split("\n");
  return { isBuilt: (await code) === 0, problem: said.find((line) => /error/i.test(line)) ?? said.at(-1) ?? "" };
}
