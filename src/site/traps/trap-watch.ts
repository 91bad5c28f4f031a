/**
 * Recognises endless parts of a site by what their pages bring, and stops them.
 *
 * A page is *barren* when it leads to no new document outside its family of URLs (see `web/url-family.ts`), and either says
 * what others said before it (`repeats`), or leads only to pages that nobody else links to (`endless`: a maze of made-up
 * texts). A family is stopped when many barren pages were found on barren pages, and hardly any other page was. Even then it
 * refuses only what was found on its barren pages alone: what an index, a category or a sitemap links to is fetched, however
 * many there are and however alike they look.
 *
 * Everything is counted when outcomes are applied, which happens in the same order at any parallelism; and it follows from
 * what is stored about each page, so that a resumed crawl decides as one that was never interrupted.
 */
import { SeenTable } from "../../kernel/seen.ts";
import type { Found, Task, Verdict } from "../../kernel/task.ts";
import { STORED_LINK_STRIDE, TARGET, TYPE } from "../../web/html/link-rows.ts";
import { urlPattern } from "../../web/pattern.ts";
import { originOf } from "../../web/url.ts";
import { folderFamily, hostFamily, tokensOf, variantFamily } from "../../web/url-family.ts";
import {
  EXTERNAL,
  isListing,
  isResource,
  kindOf,
  metaOf,
  resourceTypeOf,
  SAME_FOLDER,
  SAME_HOST,
  SAME_PATH,
  type SiteMeta,
} from "../links/link-kinds.ts";
import type { Visit } from "../visit/site-visit.ts";
import { contentPrint } from "./content-print.ts";
import {
  BARREN,
  BY_NUMBER,
  ENDLESS_FOLDER,
  ENDLESS_HOST,
  EXAMINED,
  PASSED_ON,
  REPEATS_FOLDER,
  REPEATS_HOST,
  REPEATS_PATH,
  RULES,
  Signs,
  VOUCHED,
  WORDED,
} from "./trap-rules.ts";

/**
 * How often a text may occur before a page with it counts as a repeat. Versions of a manual may share whole chapters.
 */
const COPIES = { exact: 8, dates: 3, numbers: 3 } as const;
const VARIANT_COPIES = 3;

/**
 * When this many paths have variants that are all alike, the query is known to change nothing on this host, as with
 * session ids.
 */
const UNIFORM_PATHS = 5;
/** How many contents the variants of such a path may have. */
const UNIFORM_CONTENTS = 2;

/** How many folders of a host are told apart; all others count as one family. */
const MOST_FOLDERS = 300;
/** Bounds the memory: families beyond these are not watched. */
const MOST_FAMILIES = 5_000;
const MOST_SAMPLES = 300;
const SAMPLE_LINKS = 1_000;

interface Family {
  barren: number;
  good: number;
  isStopped: boolean;
  /** All its pages say the same. */
  isUniform: boolean;
}

/** A part of the site that was stopped. */
export interface StoppedTrap {
  shape: string;
  /** URLs that were not fetched. */
  refused: number;
  example: string;
}

interface PageInProgress {
  id: number;
  /** Ids from here on are new. */
  firstNew: number;
  path: string | null;
  tokens: string | null;
  /** It leads to new pages with other tokens, which are made up for every visit. */
  hasNewTokens: boolean;
  folder: string;
  host: string;
  inFolder: number;
  outsidePath: number;
  outsideFolder: number;
  /** New pages of other sites. */
  abroad: number;
  hasNewMedia: boolean;
}

/** What is stored about a page. */
export interface PageSigns {
  text_print: number | null;
  trap_signs: number | null;
}

/** A page of an interrupted crawl, as stored. */
export interface StoredPage extends PageSigns {
  id: number;
  url: string;
  parent: number;
  via: number;
  kind: number;
}

export interface StoredPages {
  /** In the order in which they were applied. */
  pages(): Iterable<StoredPage>;
  /** Ids of URLs whose hosts have addresses that are never requested. */
  refused(): Iterable<number>;
  /** How many of them count as pages. */
  pageCount(): number;
  linksOf(id: number): Int32Array;
  /** Targets of links, with the ids of their pages. */
  links(): Iterable<{ source: number; target: number }>;
}

export class TrapWatch {
  readonly #signs = new Signs();
  readonly #families = new Map<string, Family>();
  readonly #folders = new Map<string, Set<string>>();
  /** How many pages had each print and each pattern; how many variants a path has, and how many contents these had. */
  readonly #prints = new SeenTable();
  readonly #patterns = new SeenTable();
  readonly #variants = new SeenTable();
  readonly #contents = new SeenTable();
  readonly #samples = new Map<string, ReadonlySet<number>>();
  readonly #uniformPaths = new Map<string, number>();
  readonly #stopped = new Map<string, StoppedTrap>();
  #page: PageInProgress | null = null;
  #hasBarren = false;
  #hasStopped = false;
  #lastId = 0;

  /** Every id that was assigned. */
  sees(id: number): void {
    if (id > this.#lastId) this.#lastId = id;
  }

  stopped(): StoppedTrap[] {
    return [...this.#stopped.values()];
  }

  /** From now on, the finds offered belong to this task. */
  begin({ id, key }: Task<SiteMeta>): void {
    this.#page = {
      ...{
        id,
        firstNew: this.#lastId + 1,
        path: variantFamily(key),
        tokens: tokensOf(key),
        folder: this.#folderOf(key),
        host: originOf(key),
      },
      ...{ inFolder: 0, outsidePath: 0, outsideFolder: 0, abroad: 0, hasNewMedia: false, hasNewTokens: false },
    };
  }

  /** Counts a new find of the page in progress, and returns its meta with what it shares with that page. */
  found({ key, parent, meta }: Found<SiteMeta>, { action }: Verdict): SiteMeta {
    const page = this.#page;
    if (page === null || parent !== page.id || action === "skip") return meta;
    if (isResource(meta.kind)) {
      const type = resourceTypeOf(meta.kind);
      if (type === "image" || type === "media") page.hasNewMedia = true;
      return meta;
    }
    const { viaNumber, kindNumber } = meta;
    if ((viaNumber & EXTERNAL) !== 0) page.abroad++;
    if (action !== "crawl" || (viaNumber & EXTERNAL) !== 0) return meta;
    const path = variantFamily(key);
    const isSamePath = page.path !== null && page.path === path;
    const isSameFolder = page.folder === this.#folderOf(key);
    if (!isSamePath && (path === null || !this.#isUniform(path))) page.outsidePath++;
    if (page.tokens !== null && path !== null && !page.hasNewTokens) {
      const tokens = tokensOf(key);
      page.hasNewTokens = tokens !== null && tokens !== page.tokens;
    }
    if (isSameFolder) page.inFolder++;
    else page.outsideFolder++;
    const shared =
      (isSamePath ? SAME_PATH : 0) | (isSameFolder ? SAME_FOLDER : 0) | (page.host === originOf(key) ? SAME_HOST : 0);
    return shared === 0 ? meta : metaOf(viaNumber | shared, kindNumber);
  }

  /** All finds of the page have been offered. `links` are as stored. */
  end(task: Task<SiteMeta>, visit: Visit, links: Int32Array): PageSigns {
    const page = this.#page!;
    this.#page = null;
    const { id, key, parent, meta } = task;
    if (isListing(meta.kind) || isResource(meta.kind)) {
      if (this.#hasBarren) this.#vouch(links);
      return { text_print: null, trap_signs: null };
    }
    const via = meta.viaNumber;
    if (visit.redirect !== null && visit.content === null) {
      const inherited = (via & SAME_HOST) === 0 ? 0 : this.#signs.get(parent) & BARREN;
      return this.#keep({ id, url: key, parent, via, text_print: null, trap_signs: inherited | PASSED_ON }, null);
    }
    const leadsOn = (via & SAME_FOLDER) !== 0 && page.inFolder === 1 && page.outsideFolder === 0;
    const { print, by } = contentPrint(key, visit, leadsOn);
    let signs = by === "numbers" ? BY_NUMBER : 0;
    if (print !== null && !page.hasNewMedia) {
      const copies = this.#prints.get(`${page.host} ${print}`);
      // Versions of a manual may have tokens for names too, but each leads only to pages of its own.
      const isVariant = page.path !== null && (page.tokens === null || page.hasNewTokens);
      if (isVariant && copies >= VARIANT_COPIES && page.outsidePath === 0) signs |= REPEATS_PATH;
      if (copies >= COPIES[by]) signs |= page.outsideFolder === 0 ? REPEATS_FOLDER | REPEATS_HOST : REPEATS_HOST;
    }
    if (page.inFolder + page.outsideFolder > 0 && page.abroad === 0 && visit.content !== null) {
      signs |= EXAMINED | this.#examine(task, page, links);
    }
    if (this.#patterns.get(page.host + urlPattern(key)) === 0) signs |= WORDED;
    return this.#keep({ id, url: key, parent, via, text_print: print, trap_signs: signs }, links);
  }

  /** Why a task should not be fetched, or its answer not kept; null when it should. */
  refusal({ id, key, parent, meta }: Task<SiteMeta>): Verdict | null {
    if (!this.#hasStopped || parent === 0) return null;
    const via = meta.viaNumber;
    const finder = this.#signs.get(parent);
    const isVouchedFor = (this.#signs.get(id) & VOUCHED) !== 0;
    for (const { sign, inside } of RULES) {
      const isFoundInside = !isVouchedFor && (finder & sign) !== 0 && (via & inside) !== 0;
      if (!isFoundInside && sign !== REPEATS_PATH) continue;
      const family = this.#families.get(this.#familyKey(sign, key));
      if (family?.isStopped && (isFoundInside || (family.isUniform && this.#ignoresQuery(key)))) {
        return { action: "skip", reason: "trap_no_yield", rule: `stopTraps: ${shapeOf(sign, key)}` };
      }
    }
    return null;
  }

  /** A task was finally refused, which is reported to observers. */
  refused({ key }: Task<SiteMeta>, { rule }: Verdict): void {
    const shape = rule!.slice(rule!.indexOf(" ") + 1);
    const trap = this.#stopped.get(shape);
    if (trap !== undefined) trap.refused++;
    else if (this.#stopped.size < MOST_FAMILIES) this.#stopped.set(shape, { shape, refused: 1, example: key });
  }

  /** Counts again what an interrupted crawl had counted. */
  recover(stored: StoredPages): void {
    const examined = new Map<string, number>();
    for (const page of stored.pages()) {
      if (page.trap_signs === null) continue;
      this.#keep(page, null);
      if ((page.trap_signs & EXAMINED) !== 0) examined.set(this.#folderOf(page.url), page.id);
    }
    for (const [folder, id] of examined) this.#sample(folder, documentsOf(stored.linksOf(id)));
    if (!this.#hasBarren) return;
    for (const { source, target } of stored.links()) {
      // A page first found on the page that links to it needs no other link.
      if ((this.#signs.get(source) & BARREN) === 0) this.#signs.add(target, VOUCHED);
    }
  }

  #keep(
    { id, url, parent, via, text_print, trap_signs }: Omit<StoredPage, "kind">,
    links: Int32Array | null,
  ): PageSigns {
    const signs = trap_signs!;
    const host = originOf(url);
    this.#register(url);
    this.#signs.add(id, signs);
    if ((signs & BARREN) !== 0) this.#hasBarren = true;
    else if (links !== null && this.#hasBarren) this.#vouch(links);
    if ((signs & PASSED_ON) === 0) {
      increase(this.#patterns, host + urlPattern(url));
      const path = variantFamily(url);
      if (path !== null) increase(this.#variants, path);
      const isNew = text_print !== null && increase(this.#prints, `${host} ${text_print}`) === 1;
      if (isNew && path !== null) increase(this.#contents, path);
      this.#count(url, parent, via, signs);
    }
    return { text_print, trap_signs };
  }

  #count(url: string, parent: number, via: number, signs: number): void {
    const finder = parent === 0 ? 0 : this.#signs.get(parent);
    for (const { sign, inside, points, share } of RULES) {
      // The variants of one path are counted wherever they were found.
      if (sign === REPEATS_PATH ? variantFamily(url) === null : (via & inside) === 0 || (finder & sign) === 0) continue;
      const isBarren = (signs & sign) !== 0;
      const family = this.#family(this.#familyKey(sign, url), isBarren);
      if (family === null) continue;
      const isRepeat = sign <= REPEATS_HOST;
      if (!isBarren) family.good += isRepeat ? 10 : 50;
      else if (isRepeat) family.barren += (signs & BY_NUMBER) !== 0 ? 1 : 10;
      else family.barren += (signs & WORDED) !== 0 ? 50 : 1;
      if (family.barren >= points && family.good * share <= family.barren) this.#stop(family, sign, url);
      // Older observations count less and less.
      if (family.barren + family.good >= 2 * points) {
        family.barren /= 2;
        family.good /= 2;
      }
    }
  }

  #stop(family: Family, sign: number, url: string): void {
    if (family.isStopped) return;
    family.isStopped = true;
    this.#hasStopped = true;
    const path = variantFamily(url);
    if (sign !== REPEATS_PATH || path === null || !this.#isUniform(path)) return;
    family.isUniform = true;
    this.#uniformPaths.set(originOf(url), (this.#uniformPaths.get(originOf(url)) ?? 0) + 1);
  }

  /** Whether all variants of a path say the same, as far as is known. */
  #isUniform(path: string): boolean {
    return this.#variants.get(path) >= VARIANT_COPIES && this.#contents.get(path) <= UNIFORM_CONTENTS;
  }

  #ignoresQuery(url: string): boolean {
    return (this.#uniformPaths.get(originOf(url)) ?? 0) >= UNIFORM_PATHS;
  }

  /** A page of a maze links to new pages, to the page it was found on, and to what all its pages link to. */
  #examine({ id, parent }: Task<SiteMeta>, page: PageInProgress, links: Int32Array): number {
    const sample = this.#samples.get(page.folder);
    const documents = documentsOf(links);
    this.#sample(page.folder, documents);
    if (sample === undefined) return 0;
    const isKnown = (target: number) =>
      target < page.firstNew && target !== id && target !== parent && !sample.has(target);
    if (documents.some(isKnown)) return 0;
    return page.outsideFolder === 0 ? ENDLESS_FOLDER | ENDLESS_HOST : ENDLESS_HOST;
  }

  #sample(folder: string, documents: number[]): void {
    if (this.#samples.size >= MOST_SAMPLES && !this.#samples.has(folder)) return;
    this.#samples.set(folder, new Set(documents.slice(0, SAMPLE_LINKS)));
  }

  /** Typed arrays only, because this runs for the links of almost every page. */
  #vouch(links: Int32Array): void {
    for (let at = 0; at < links.length; at += STORED_LINK_STRIDE) this.#signs.add(links[at + TARGET]!, VOUCHED);
  }

  #family(key: string, create: boolean): Family | null {
    const known = this.#families.get(key);
    if (known !== undefined || !create || this.#families.size >= MOST_FAMILIES) return known ?? null;
    const family: Family = { barren: 0, good: 0, isStopped: false, isUniform: false };
    this.#families.set(key, family);
    return family;
  }

  #familyKey(sign: number, url: string): string {
    if (sign === REPEATS_PATH) return `${sign} ${variantFamily(url)}`;
    return `${sign} ${sign === REPEATS_FOLDER || sign === ENDLESS_FOLDER ? this.#folderOf(url) : originOf(url)}`;
  }

  #folderOf(url: string): string {
    const folder = folderFamily(url);
    const known = this.#folders.get(originOf(url));
    return known === undefined || known.size < MOST_FOLDERS || known.has(folder) ? folder : hostFamily(url);
  }

  #register(url: string): void {
    const origin = originOf(url);
    let known = this.#folders.get(origin);
    if (known === undefined) this.#folders.set(origin, (known = new Set()));
    if (known.size < MOST_FOLDERS) known.add(folderFamily(url));
  }
}

const shapeOf = (sign: number, url: string): string =>
  (sign === REPEATS_PATH ? variantFamily(url) : null) ?? folderFamily(url);

/** The ids of linked documents. */
function documentsOf(links: Int32Array): number[] {
  const ids: number[] = [];
  for (let at = 0; at < links.length; at += STORED_LINK_STRIDE) {
    if (!isResource(kindOf(links[at + TYPE]!))) ids.push(links[at + TARGET]!);
  }
  return ids;
}

/** The count after this one. */
function increase(table: SeenTable, key: string): number {
  const count = table.get(key) + 1;
  table.set(key, count);
  return count;
}
