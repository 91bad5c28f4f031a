/**
 * The icons of projects' sites. If a crawl fetches the icon anyway, that copy is used; otherwise it is fetched once, by
 * the crawl's own rules.
 */

import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { TrawlError } from "../errors.ts";
import type { Clock } from "../kernel/clock.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../kernel/sqlite/private-files.ts";
import type { FetchPermits } from "../net/fetch-permits.ts";
import type { OutsideClient } from "../site/client/outside-client.ts";
import { kindNumber } from "../site/links/link-kinds.ts";
import { LINK_INTERNAL } from "../site/page/link-types.ts";
import { parseConfig } from "../site/site-config.ts";
import type { SiteEvents } from "../site/site-record.ts";
import type { SiteReader } from "../site/store/reader.ts";
import { ensureFolder } from "../storage/ensure-folder.ts";
import { originOf } from "../web/url.ts";
import type { ActiveCrawl } from "./crawls/active-crawl.ts";
import type { Home } from "./home.ts";

/** Far more than an icon needs. */
const MAX_BYTES = 256 * 1024;
const FETCH_SECONDS = 10;

export interface Favicon {
  bytes: Buffer;
  type: ImageType;
}

export interface FaviconsParts {
  home: Home;
  clock: Clock;
  permits?: FetchPermits;
  read: (crawlId: number) => SiteReader;
  onProblem: (message: string) => void;
}

/** Takes the icon from a crawl's answers. */
export class IconCatcher {
  caught: Buffer | null = null;

  readonly events: SiteEvents = {
    onVisit: ({ meta }, { response: { status, body, decodedBytes, truncated } }) => {
      if (this.caught !== null || meta.kind !== "icon" || status !== 200 || truncated !== null) return;
      if (decodedBytes <= MAX_BYTES && imageType(body) !== null) this.caught = Buffer.from(body);
    },
  };
}

export class Favicons {
  readonly #parts: FaviconsParts;
  /** Icons that are being fetched, by crawl. */
  readonly #fetching = new Map<number, { client: Promise<OutsideClient>; ended: Promise<void> }>();
  /** Crawls that are done: each is checked once. */
  readonly #settled = new WeakSet<ActiveCrawl>();

  constructor(parts: FaviconsParts) {
    this.#parts = parts;
  }

  get(projectId: number): Favicon | null {
    try {
      const bytes = readFileSync(this.#parts.home.favicon(projectId));
      const type = imageType(bytes);
      return type === null ? null : { bytes, type };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  has(projectId: number): boolean {
    return statSync(this.#parts.home.favicon(projectId), { throwIfNoEntry: false }) !== undefined;
  }

  /** Checks whether the icon of a crawl's site is available by now. Called during the crawl and at its end. */
  look(active: ActiveCrawl, catcher: IconCatcher, hasEnded: boolean): void {
    if (this.#settled.has(active)) return;
    try {
      this.#lookFor(active, catcher, hasEnded);
    } catch (error) {
      // An error here must not affect the crawl.
      this.#settled.add(active);
      this.#parts.onProblem(`icon of ${active.record.domain}: ${(error as Error).message}`);
    }
  }

  /** Gives up an icon that is being fetched for the crawl. */
  async stop(crawlId: number): Promise<void> {
    const fetching = this.#fetching.get(crawlId);
    await (await fetching?.client)?.close();
    await fetching?.ended;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#fetching.keys()].map((id) => this.stop(id)));
  }

  remove(projectId: number): void {
    rmSync(this.#parts.home.favicon(projectId), { force: true });
  }

  #lookFor(active: ActiveCrawl, { caught }: IconCatcher, hasEnded: boolean): void {
    const { projectId } = active.record;
    if (caught !== null) {
      this.#settled.add(active);
      this.#store(projectId, caught);
      return;
    }
    if (this.has(projectId)) return;
    const url = this.#reading(active.id, (reader) => findIcon(reader, hasEnded));
    if (url === null) return;
    this.#settled.add(active);
    this.#fetch(active, url);
  }

  #reading<T>(crawlId: number, use: (reader: SiteReader) => T): T {
    const reader = this.#parts.read(crawlId);
    try {
      return use(reader);
    } finally {
      reader.close();
    }
  }

  #fetch({ id, record }: ActiveCrawl, url: string): void {
    const { clock, permits } = this.#parts;
    const config = { ...parseConfig(record.settings), maxBytes: MAX_BYTES, timeout: FETCH_SECONDS };
    // Loaded here: most commands do not need an HTTP client.
    const client = import("../site/client/outside-client.ts").then(({ OutsideClient, outsideNotes }) => {
      const notes = this.#reading(id, (reader) => outsideNotes(reader, originOf(url)));
      return new OutsideClient({ config, startUrls: record.startUrls, clock, permits, notes });
    });
    const ended = client
      .then((ready) => this.#fetchFrom(ready, url, record.projectId))
      .catch((error) => this.#parts.onProblem(`icon of ${record.domain}: ${(error as Error).message}`))
      .finally(() => this.#fetching.delete(id));
    this.#fetching.set(id, { client, ended });
  }

  async #fetchFrom(client: OutsideClient, url: string, projectId: number): Promise<void> {
    try {
      const { status, body, truncated } = await client.get(url);
      if (status === 200 && truncated === null && imageType(body) !== null) this.#store(projectId, body);
    } catch (error) {
      // A site without an icon does not deserve a message.
      if (!(error instanceof TrawlError)) throw error;
    } finally {
      await client.close();
    }
  }

  #store(projectId: number, bytes: Buffer): void {
    const path = this.#parts.home.favicon(projectId);
    ensureFolder(dirname(path), PRIVATE_FOLDER);
    // Another process may be reading this file, or writing the same one.
    const half = `${path}.${process.pid}`;
    writeFileSync(half, bytes, { mode: PRIVATE_FILE });
    renameSync(half, path);
  }
}

/**
 * The URL to fetch: the icon named by the first page, or /favicon.ico on its host. Null when there is nothing to fetch: no page
 * is known yet, the crawl may still fetch the icon itself, or the crawl decided against it.
 */
export function findIcon({ db }: SiteReader, hasEnded: boolean): string | null {
  const page = db
    .prepare(
      `SELECT u.url AS url, p.first_link AS first, p.link_count AS count FROM pages p JOIN urls u USING (id)
       WHERE p.title_count IS NOT NULL AND p.status = 200 ORDER BY p.id LIMIT 1`,
    )
    .get() as { url: string; first: number | null; count: number | null } | undefined;
  if (page === undefined) return null;
  const first = page.first ?? 0;
  const icon = db
    .prepare(
      `SELECT u.url AS url, u.verdict AS verdict, u.state AS state, l.flags AS flags FROM links l
       JOIN urls u ON u.id = l.target WHERE l.id >= ? AND l.id < ? AND l.type = ? ORDER BY l.id LIMIT 1`,
    )
    .get(first, first + (page.count ?? 0), kindNumber("icon")) as
    | { url: string; verdict: string; state: string | null; flags: number }
    | undefined;
  if (icon === undefined) return `${originOf(page.url)}/favicon.ico`;
  if (icon.verdict === "skip") return null;
  const isOwn = icon.verdict === "crawl" && (icon.flags & LINK_INTERNAL) !== 0;
  // The crawl itself fetches icons on the site's hosts. If it did and no icon was taken, the file is not an icon.
  return isOwn && (icon.state !== "open" || !hasEnded) ? null : icon.url;
}

/** The image type of a file, recognised by its first bytes: the type that a server sends cannot be trusted. */
export const IMAGE_TYPES = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "image/x-icon",
  "image/svg+xml",
] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

/** The latest position at which the element of an SVG may begin: after a declaration, a comment and a document type. */
const SVG_HEAD = 2_048;

/** Null when it is not an image that browsers show. */
export function imageType(bytes: Buffer): ImageType | null {
  const starts = (text: string, at = 0) => bytes.toString("latin1", at, at + text.length) === text;
  if (starts("\x89PNG\r\n\x1a\n")) return "image/png";
  if (starts("\xff\xd8\xff")) return "image/jpeg";
  if (starts("GIF87a") || starts("GIF89a")) return "image/gif";
  if (starts("RIFF") && starts("WEBP", 8)) return "image/webp";
  if (starts("ftypavif", 4)) return "image/avif";
  if (starts("BM")) return "image/bmp";
  if (starts("\x00\x00\x01\x00")) return "image/x-icon";
  return isSvg(bytes.toString("utf8", 0, SVG_HEAD)) ? "image/svg+xml" : null;
}

/** The first element is `svg`, whatever declarations and comments come before it. */
function isSvg(head: string): boolean {
  let rest = head.replace(/^\ufeff/, "").trimStart();
  for (;;) {
    const before = /^<(\?|!--|!)/.exec(rest)?.[1];
    if (before === undefined) return /^<svg[\s/>]/i.test(rest);
    const end = before === "!--" ? "-->" : ">";
    const at = rest.indexOf(end, 2);
    if (at < 0) return false;
    rest = rest.slice(at + end.length).trimStart();
  }
}
