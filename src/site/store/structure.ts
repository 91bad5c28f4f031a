/**
 * The folders of a site and what is in them: how many URLs were fetched, how they answered, how far they are from the
 * start, and how much the audit found there. An answer covers one folder and two levels below it, and counts what it
 * leaves out.
 */
import { hasTable } from "../../kernel/sqlite/schema.ts";
import { fieldNamed } from "../facts/fact-fields.ts";
import { parseFilter } from "./filter/filter.ts";
import type { SiteReader } from "./reader.ts";

export interface FolderCounts {
  /** Fetched URLs, in this folder and below. */
  urls: number;
  ok: number;
  redirect: number;
  clientError: number;
  serverError: number;
  noAnswer: number;
  /** Links from the start, on average; null for pages that only sitemaps name. */
  depth: number | null;
  /** What the audit found there. */
  findings: number;
}

export interface StructureEntry extends FolderCounts {
  /** `folder`; `here`: the URLs directly in the folder above; `rest`: folders that are not listed one by one. */
  kind: "folder" | "here" | "rest";
  /** The last part of its address. */
  name: string;
  /** Its address, or the address of the folder above if it is not a folder. */
  folder: string;
  /** How many folders it stands for. */
  folders: number;
  /** The filters that list exactly its URLs; for folders that are left out, those of the folder above. */
  filter: string[];
}

export interface StructureFolder extends StructureEntry {
  children: StructureEntry[];
}

export interface SiteStructure extends FolderCounts {
  /** Null: the whole site, which has several hosts. */
  folder: string | null;
  filter: string[];
  children: StructureFolder[];
  /** The crawl was audited, so that `findings` means something. */
  wasAudited: boolean;
}

export interface StructureQuery {
  /** Null: the first folder that leads to more than one other. */
  folder: string | null;
  /** The largest number of folders to list for each. */
  limit: number;
}

/** How many names are counted separately. Beyond that, memory would grow with the site. */
const MAX_COUNTED = 20_000;

const FETCHED = ["internal=Yes", "verdict=crawl", "state!=open"] as const;

class Tally {
  urls = 0;
  readonly classes = { ok: 0, redirect: 0, clientError: 0, serverError: 0, noAnswer: 0 };
  findings = 0;
  #depths = 0;
  #withDepth = 0;
  /** What is below, by name. */
  readonly below = new Map<string, Tally>();
  /** URLs directly here, and in folders beyond the limit. */
  here: Tally | null = null;
  rest: Tally | null = null;

  add({ status, depth, findings }: StoredUrl): void {
    this.urls++;
    this.classes[classOf(status)]++;
    this.findings += findings;
    if (depth === null) return;
    this.#depths += depth;
    this.#withDepth++;
  }

  merge(other: Tally): void {
    this.urls += other.urls;
    for (const name of CLASSES) this.classes[name] += other.classes[name];
    this.findings += other.findings;
    this.#depths += other.#depths;
    this.#withDepth += other.#withDepth;
  }

  counts(): FolderCounts {
    const depth = this.#withDepth === 0 ? null : Math.round((this.#depths / this.#withDepth) * 10) / 10;
    return { urls: this.urls, ...this.classes, depth, findings: this.findings };
  }
}

const CLASSES = ["ok", "redirect", "clientError", "serverError", "noAnswer"] as const;

function classOf(status: number | null): (typeof CLASSES)[number] {
  if (status === null) return "noAnswer";
  if (status >= 500) return "serverError";
  if (status >= 400) return "clientError";
  return status >= 300 && status !== 304 ? "redirect" : "ok";
}

interface StoredUrl {
  url: string;
  status: number | null;
  depth: number | null;
  findings: number;
}

export function siteStructure(reader: SiteReader, query: StructureQuery): SiteStructure {
  const wasAudited = hasTable(reader.db, "findings");
  const first = query.folder === null ? null : withSlash(query.folder);
  const { folder, total } = first === null ? wholeSite(reader, wasAudited) : { folder: first, total: null };
  const tally = total ?? tallyOf(reader, folder, wasAudited);
  return {
    folder,
    ...tally.counts(),
    filter: folder === null ? [...FETCHED] : filterOf(folder),
    children: listed(tally, folder, query.limit, true) as StructureFolder[],
    wasAudited,
  };
}

/**
 * Descends as long as there is only one way: a site on one host begins at its root, or at the folder that holds all of
 * it.
 */
function wholeSite(reader: SiteReader, wasAudited: boolean): { folder: string | null; total: Tally } {
  let folder: string | null = null;
  for (;;) {
    const total = tallyOf(reader, folder, wasAudited);
    const [only] = total.below.keys();
    if (total.below.size !== 1 || total.here !== null || total.rest !== null) return { folder, total };
    folder = folder === null ? `${only}/` : `${folder}${only}/`;
  }
}

function tallyOf({ db }: SiteReader, folder: string | null, wasAudited: boolean): Tally {
  const filters = folder === null ? [...FETCHED] : filterOf(folder);
  const conditions = filters.map(parseFilter);
  const findings = wasAudited ? "(SELECT count(*) FROM findings WHERE id = u.id)" : "0";
  const rows = db
    .prepare(
      `SELECT u.url AS url, p.status AS status, ${fieldNamed("depth")!.sql} AS depth, ${findings} AS findings
       FROM urls u LEFT JOIN pages p ON p.id = u.id WHERE ${conditions.map(({ sql }) => `(${sql})`).join(" AND ")}`,
    )
    .iterate(...conditions.flatMap(({ values }) => values));
  const total = new Tally();
  let counted = 0;
  /** The part that a URL belongs to; `name` is null for URLs directly in the folder. */
  const part = (of: Tally, name: string | null): Tally => {
    if (name === null) return (of.here ??= new Tally());
    const known = of.below.get(name);
    if (known !== undefined) return known;
    if (counted === MAX_COUNTED) return (of.rest ??= new Tally());
    counted++;
    const added = new Tally();
    of.below.set(name, added);
    return added;
  };
  for (const row of rows as unknown as Iterable<StoredUrl>) {
    const [first, second] = namesBelow(row.url, folder);
    const child = part(total, first);
    total.add(row);
    child.add(row);
    if (first !== null && child !== total.rest) part(child, second).add(row);
  }
  return total;
}

/** The next two folders on the way to a URL, below a folder. For the whole site, the folders are its hosts. */
function namesBelow(url: string, folder: string | null): [string | null, string | null] {
  const query = url.search(/[?#]/);
  const end = query < 0 ? url.length : query;
  const next = (from: number): number => {
    const at = url.indexOf("/", from);
    return at < 0 || at >= end ? -1 : at;
  };
  const from = folder === null ? url.indexOf("://") + 3 : folder.length;
  const first = next(from);
  if (first < 0) return [null, null];
  const second = next(first + 1);
  return [url.slice(folder === null ? 0 : from, first), second < 0 ? null : url.slice(first + 1, second)];
}

/** The largest first; the rest, beyond the limit, are counted together. */
function listed(tally: Tally, folder: string | null, limit: number, isWithChildren: boolean): StructureEntry[] {
  const sorted = [...tally.below].sort(([a, x], [b, y]) => y.urls - x.urls || (a < b ? -1 : 1));
  const entries: StructureEntry[] = sorted.slice(0, limit).map(([name, child]) => {
    const address = `${folder ?? ""}${name}/`;
    const entry = { kind: "folder" as const, name, folder: address, folders: 1, ...child.counts() };
    const children = isWithChildren ? { children: listed(child, address, limit, false) } : {};
    return { ...entry, filter: filterOf(address), ...children };
  });
  const above = folder ?? "";
  const children = isWithChildren ? { children: [] } : {};
  if (tally.here !== null) {
    const filter = [`folder=${above}`, ...FETCHED];
    entries.push({ kind: "here", name: "", folder: above, folders: 0, ...tally.here.counts(), filter, ...children });
  }
  const rest = new Tally();
  for (const [, child] of sorted.slice(limit)) rest.merge(child);
  if (tally.rest !== null) rest.merge(tally.rest);
  if (rest.urls > 0) {
    const filter = folder === null ? [...FETCHED] : filterOf(folder);
    const folders = Math.max(1, sorted.length - limit);
    entries.push({ kind: "rest", name: "", folder: above, folders, ...rest.counts(), filter, ...children });
  }
  return entries;
}

const withSlash = (folder: string): string => (folder.endsWith("/") ? folder : `${folder}/`);

const filterOf = (folder: string): string[] => [`under=${folder}`, ...FETCHED];
