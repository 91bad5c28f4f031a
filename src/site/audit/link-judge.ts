/**
 * Applies the rules about links, all at once while the links are read. A rule is three conditions: on the link itself, on its
 * text and on its target. Each is computed once, as a bit of every target and text, so that a link costs one AND however many
 * rules there are.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { eachRow } from "../graph/each-row.ts";
import type { LinkWatcher } from "../graph/link-graph.ts";
import { kindNumber } from "../links/link-kinds.ts";
import { LINK_FLAGS } from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import type { FindingStore } from "./finding-store.ts";
import { judgedRows } from "./judged-facts.ts";
import type { LinkRule, Rule } from "./rule.ts";

export interface NumberedLinkRule {
  rule: Rule & LinkRule;
  number: number;
}

/** Links that evidence names. */
const MOST_SHOWN = 5;
/** Bits of a number that JavaScript computes with. */
const MOST_RULES = 31;
const FLAG_VALUES = 1 << Object.keys(LINK_FLAGS).length;
/** How many texts are kept of each rule's targets: texts in menus are shown on every page. */
const MOST_KEPT = 20_000;

export interface LinkJudgeOptions {
  rules: readonly NumberedLinkRule[];
  /** One more than the largest id of a URL. */
  size: number;
  /** Replaces thresholds in SQL by their numbers. */
  fill: (sql: string) => string;
  findings: FindingStore;
}

/** All rules about links, in as few judges as can hold them: a judge has one bit for each of its rules. */
export function linkJudges(db: DatabaseSync, { rules, ...options }: LinkJudgeOptions): LinkJudge[] {
  return Array.from({ length: Math.ceil(rules.length / MOST_RULES) }, (_, place) => {
    const some = rules.slice(place * MOST_RULES, (place + 1) * MOST_RULES);
    return new LinkJudge(db, { ...options, rules: some });
  });
}

class LinkJudge implements LinkWatcher {
  readonly #db: DatabaseSync;
  readonly #options: LinkJudgeOptions;
  readonly #sources: Int32Array;
  readonly #targets: Int32Array;
  readonly #texts: Int32Array;
  /** By type and flags, and by position. */
  readonly #kinds: Int32Array;
  readonly #positions: Int32Array;
  readonly #shown: readonly ShownLinks[];
  /** How many targets a text must lead to, for rules about that. */
  readonly #least: readonly number[];
  /** The page whose links are being read, and those of its links that match. */
  #source = 0;
  #found = 0;
  readonly #matches: number[] = [];
  /** The last page that had a hyperlink to each URL. */
  readonly #linkedFrom: Int32Array;

  constructor(db: DatabaseSync, options: LinkJudgeOptions) {
    this.#db = db;
    this.#options = options;
    const { rules, size, fill } = options;
    this.#sources = new Int32Array(size);
    this.#targets = new Int32Array(size);
    this.#linkedFrom = new Int32Array(size);
    this.#texts = this.#textBits();
    this.#kinds = Int32Array.from({ length: 32 * FLAG_VALUES }, (_, at) =>
      bits(rules, ({ links }) => fitsKind(links, Math.floor(at / FLAG_VALUES), at % FLAG_VALUES)),
    );
    this.#positions = Int32Array.from(LINK_POSITIONS, (position) =>
      bits(rules, ({ links }) => links.position === undefined || links.position === position),
    );
    this.#least = rules.map(({ rule }) => Number(fill(rule.links.targetsOfText ?? "0")));
    this.#readUrls();
    this.#shown = rules.map(({ rule }) => new ShownLinks(db, fill, rule.links.shown ?? "url"));
  }

  link(source: number, target: number, type: number, flags: number, text: number, position: number): void {
    if (source !== this.#source) this.#endSource(source);
    if (type <= LAST_HYPERLINK) this.#linkedFrom[target] = source;
    const mask =
      this.#kinds[type * FLAG_VALUES + (flags & (FLAG_VALUES - 1))]! &
      this.#targets[target]! &
      this.#texts[text]! &
      this.#positions[position]! &
      this.#sources[source]!;
    if (mask === 0) return;
    this.#found |= mask;
    this.#matches.push(mask, target, text);
  }

  end(): void {
    this.#endSource(0);
  }

  #endSource(next: number): void {
    if (this.#found !== 0) {
      this.#options.rules.forEach(({ rule, number }, bit) => {
        if ((this.#found & (1 << bit)) === 0) return;
        const evidence = this.#evidence(rule, bit);
        if (evidence !== null) this.#options.findings.add(number, this.#source, evidence);
      });
      this.#found = 0;
      this.#matches.length = 0;
    }
    this.#source = next;
  }

  /** Null when the links, taken together, are not a finding. */
  #evidence({ links }: LinkRule, bit: number): string | null {
    if (links.targetsOfText !== undefined) return this.#repeated(bit, this.#least[bit]!);
    const targets = new Map<number, number>();
    for (const [target, text] of this.#matchesOf(bit)) {
      if (targets.size === MOST_SHOWN) break;
      if (links.isNotLinked && this.#linkedFrom[target] === this.#source) continue;
      if (!targets.has(target)) targets.set(target, text);
    }
    if (targets.size === 0) return null;
    return [...targets].map(([target, text]) => this.#shown[bit]!.of(target, text)).join("\n");
  }

  *#matchesOf(bit: number): Iterable<[target: number, text: number]> {
    const found = this.#matches;
    for (let at = 0; at < found.length; at += 3) {
      if ((found[at]! & (1 << bit)) !== 0) yield [found[at + 1]!, found[at + 2]!];
    }
  }

  /** Texts that lead to many targets. */
  #repeated(bit: number, least: number): string | null {
    const byText = new Map<number, Set<number>>();
    for (const [target, text] of this.#matchesOf(bit)) {
      if (target === this.#source) continue;
      const known = byText.get(text);
      if (known === undefined) byText.set(text, new Set([target]));
      else known.add(target);
    }
    const many = [...byText].filter(([, targets]) => targets.size >= least).slice(0, MOST_SHOWN);
    if (many.length === 0) return null;
    this.#textOf ??= this.#db.prepare("SELECT value FROM texts WHERE id = ?");
    return many.map(([text, { size }]) => `${this.#textOf!.get(text)?.["value"]} (${size} pages)`).join("\n");
  }
  #textOf: StatementSync | null = null;

  #readUrls(): void {
    const { rules, fill } = this.#options;
    const target = maskSql(rules, ({ links }) => links.target ?? "1");
    const source = maskSql(rules, ({ on, when }) => `as_${on} AND (${when ?? "1"})`);
    const statement = this.#db.prepare(
      fill(`SELECT id, ${target}, ${source} FROM ${judgedRows([target, source], "1")}`),
    );
    statement.setReturnArrays(true);
    for (const row of statement.iterate()) {
      const [id, targetBits, sourceBits] = row as unknown as [number, number, number];
      this.#targets[id] = targetBits;
      this.#sources[id] = sourceBits;
    }
  }

  #textBits(): Int32Array {
    const { rules, fill } = this.#options;
    const last = this.#db.prepare("SELECT coalesce(max(id), 0) AS id FROM texts").get()!["id"];
    const every = bits(rules, ({ links }) => links.text === undefined);
    const found = new Int32Array(Number(last) + 1);
    const asked = fill(maskSql(rules, ({ links }) => links.text ?? "0"));
    // The number 0 stands for no text.
    found[0] = every | Number(this.#db.prepare(`SELECT ${asked} AS bits FROM (SELECT '' AS text)`).get()!["bits"]);
    const table = "(SELECT id, value AS text FROM texts)";
    eachRow(this.#db, { table, columns: ["id", asked] }, (id, textBits) => {
      found[id] = every | textBits;
    });
    return found;
  }
}

const LAST_HYPERLINK = kindNumber("area");

const bits = (rules: readonly NumberedLinkRule[], fits: (rule: LinkRule & Rule) => boolean): number =>
  rules.reduce((mask, { rule }, bit) => mask | (fits(rule) ? 1 << bit : 0), 0);

const maskSql = (rules: readonly NumberedLinkRule[], condition: (rule: LinkRule & Rule) => string): string =>
  rules.map(({ rule }, bit) => `iif(${condition(rule)}, ${2 ** bit}, 0)`).join(" | ") || "0";

function fitsKind({ types, has = [], lacks = [] }: LinkRule["links"], type: number, flags: number): boolean {
  return (
    types.some((kind) => kindNumber(kind) === type) &&
    has.every((flag) => (flags & LINK_FLAGS[flag]) !== 0) &&
    lacks.every((flag) => (flags & LINK_FLAGS[flag]) === 0)
  );
}

/** How evidence names a link. */
class ShownLinks {
  readonly #statement: StatementSync;
  readonly #usesText: boolean;
  readonly #kept = new Map<number, string>();

  constructor(db: DatabaseSync, fill: (sql: string) => string, shown: string) {
    this.#usesText = /\btext\b/.test(shown);
    const rows = judgedRows([shown], "u.id = ?1");
    const text = this.#usesText ? ", (SELECT coalesce((SELECT value FROM texts WHERE id = ?2), '') AS text)" : "";
    this.#statement = db.prepare(fill(`SELECT ${shown} AS shown FROM ${rows}${text}`));
  }

  of(target: number, text: number): string {
    if (this.#usesText) return String(this.#statement.get(target, text)?.["shown"] ?? "");
    const known = this.#kept.get(target);
    if (known !== undefined) return known;
    const shown = String(this.#statement.get(target)?.["shown"] ?? "");
    if (this.#kept.size === MOST_KEPT) this.#kept.clear();
    this.#kept.set(target, shown);
    return shown;
  }
}
