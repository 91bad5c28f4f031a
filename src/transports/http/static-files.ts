/**
 * The files of the web app. They are listed once, and only what is in the list is ever opened: no path that is asked for
 * reaches the disk, so none can lead out of the folder.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { getMimeType } from "hono/utils/mime";

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };
type Coding = keyof typeof compressors;

/** Smaller files gain nothing. */
const LEAST_COMPRESSED_BYTES = 1_024;
const COMPRESSIBLE = /^(?:text\/|application\/(?:javascript|json|manifest\+json|wasm)|image\/svg\+xml)/;
/** Vite puts a hash of the content into the names below this folder. */
const HASHED = /^\/assets\//;
const YEAR_SECONDS = 31_536_000;

interface StaticFile {
  type: string;
  etag: string;
  /** Identity, and what was compressed so far. */
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
        // Weak: the same file goes out in several codings.
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
