/** The settings of an audit, taken from those of the crawl. */
import { TrawlError } from "../../errors.ts";
import { didYouMean } from "../../settings/did-you-mean.ts";
import { RULES, THRESHOLDS } from "./rule-table.ts";

export interface AuditSettings {
  /** Thresholds that differ from their defaults. */
  thresholds: Readonly<Record<string, number>>;
  /** Rules that are turned off, by id or by the part before the dot. */
  ignoredRules: readonly string[];
}

export const DEFAULT_AUDIT: AuditSettings = { thresholds: {}, ignoredRules: [] };

export const auditSettings = (config: { thresholds: string[]; ignoreRules: string[] }): AuditSettings => ({
  thresholds: Object.fromEntries(config.thresholds.map(parseThreshold)),
  ignoredRules: config.ignoreRules,
});

/** `titleMaxChars=70`. */
export function parseThreshold(text: string): [name: string, value: number] {
  const [, name, value] = /^\s*([a-zA-Z0-9]+)\s*=\s*(\d+(?:\.\d+)?)\s*$/.exec(text) ?? [];
  if (name === undefined) {
    throw new TrawlError("BAD_CONFIG", `"${text}" is not NAME=NUMBER, such as titleMaxChars=70`);
  }
  const names = Object.keys(THRESHOLDS);
  if (!names.includes(name)) {
    throw new TrawlError("BAD_CONFIG", `there is no threshold ${name}${didYouMean(name, names)}`);
  }
  return [name, Number(value)];
}

const PREFIXES = new Set(RULES.map(({ id }) => id.split(".", 1)[0]!));

/** The id of a rule, or a prefix of several. */
export function checkRule(text: string): void {
  if (PREFIXES.has(text) || RULES.some(({ id }) => id === text)) return;
  const near = didYouMean(
    text,
    RULES.map(({ id }) => id),
  );
  throw new TrawlError("BAD_CONFIG", `there is no audit rule ${text}${near || "; docs/audit-rules.md lists them"}`);
}
