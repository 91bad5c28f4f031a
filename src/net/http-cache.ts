/** The cache folder: answers of earlier runs, so that tuning a crawl does not request the site again. */
import { createHash, randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../kernel/sqlite/private-files.ts";
import { ensureFolder } from "../storage/ensure-folder.ts";
import type { HttpResponse } from "./http-types.ts";
import { FetchedResponse } from "./response.ts";

const FORMAT = 1;

/** What precedes the body in a file: one line of JSON. */
const Stored = z.object({
  format: z.literal(FORMAT),
  storedAt: z.number(),
  url: z.string(),
  status: z.int(),
  statusText: z.string(),
  httpVersion: z.enum(["1.1", "2"]),
  headers: z.array(z.tuple([z.string(), z.string()])),
  wireBytes: z.int(),
  bodyBytes: z.int(),
});

/** Temporary answers: caching them would repeat a bad moment for as long as the cache lasts. */
const PASSING = new Set([408, 425, 429]);

const NO_TIMINGS = { dns: 0, connect: 0, tls: 0, firstByte: 0, download: 0, total: 0 };

export class HttpCache {
  readonly #folder: string;
  readonly #maxAgeMs: number;
  readonly #now: () => number;

  constructor(folder: string, maxAgeMs: number, now: () => number) {
    this.#folder = folder;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
  }

  /** The file name of an answer: a hash of everything that determines it, so no text from the web becomes a path. */
  key(method: string, url: string, headers: readonly string[]): string {
    return createHash("sha256")
      .update(JSON.stringify([method, url, headers]))
      .digest("hex");
  }

  /** The stored answer; null when it is missing, too old or unreadable. */
  async read(key: string): Promise<HttpResponse | null> {
    try {
      const file = await readFile(this.#path(key));
      const end = file.indexOf(0x0a);
      const stored = Stored.parse(JSON.parse(file.toString("utf8", 0, end)));
      const body = file.subarray(end + 1);
      const age = this.#now() - stored.storedAt;
      if (age < 0 || age > this.#maxAgeMs || body.length !== stored.bodyBytes) return null;
      return new FetchedResponse({
        ...stored,
        body,
        truncated: null,
        timings: { ...NO_TIMINGS },
        remoteAddress: null,
        tls: null,
        fromCache: true,
      });
    } catch {
      // Missing or damaged: either way the site is requested.
      return null;
    }
  }

  /** Stores a complete answer. If the disk is full, the answer is not cached, but the page is not lost. */
  async write(key: string, response: HttpResponse): Promise<void> {
    if (response.truncated !== null || response.status >= 500 || PASSING.has(response.status)) return;
    const stored: z.infer<typeof Stored> = {
      format: FORMAT,
      storedAt: this.#now(),
      url: response.url,
      status: response.status,
      statusText: response.statusText,
      httpVersion: response.httpVersion,
      headers: response.headers,
      wireBytes: response.wireBytes,
      bodyBytes: response.body.length,
    };
    const path = this.#path(key);
    const temporary = `${path}.${randomUUID()}`;
    try {
      ensureFolder(dirname(path), PRIVATE_FOLDER);
      // Pages behind a password are among them.
      await writeFile(temporary, [JSON.stringify(stored), "\n", response.body], { mode: PRIVATE_FILE });
      await rename(temporary, path);
    } catch {
      await rm(temporary, { force: true }).catch(() => {});
    }
  }

  #path(key: string): string {
    return join(this.#folder, key.slice(0, 2), key.slice(2));
  }
}
