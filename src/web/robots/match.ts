/** The rules for one agent, compiled: the longest rule that matches wins, and Allow wins a tie (RFC 9309, 2.2.2). */
import { compileWildcard } from "../filter.ts";
import { type AgentGroup, encodeInnerDollars, type ParsedRule } from "./parse.ts";

export interface RobotsVerdict {
  readonly allowed: boolean;
  /** Number of the line that decided, from 1; null when no line did. */
  readonly line: number | null;
  /** That line's text. */
  readonly rule: string | null;
  /** The user agent whose rules were used, as written in the file; null when no group applies to us. */
  readonly group: string | null;
}

interface CompiledRule {
  matches(path: string): boolean;
  /** Octets of the pattern, `*` and `$` counted, as Google counts them. */
  priority: number;
  allow: boolean;
  line: number;
  /** The second character that a matching path must have, or -1 for any. */
  second: number;
  verdict: RobotsVerdict;
}

const ASTERISK = 0x2a;

/**
 * How many rules with a star one agent's matcher accepts: far more than an honest file has. A hostile file can have 34,000,
 * which took 0.6 s for one URL of 2,000 characters. Beyond the limit, rules are read strictly: Disallow ends at its first
 * star, Allow is dropped. Such a file blocks its own host, and does not slow the crawl down.
 */
const MAX_STARRED_RULES = 2_000;

function compilePattern(pattern: string): { matches: (path: string) => boolean; second: number } {
  const toEnd = pattern.endsWith("$");
  const literal = encodeInnerDollars(toEnd ? pattern.slice(0, -1) : pattern);
  const second = literal.charCodeAt(1);
  const isFixed = literal.length > 1 && literal.charCodeAt(0) !== ASTERISK && second !== ASTERISK;
  return { matches: compileWildcard(literal, toEnd), second: isFixed ? second : -1 };
}

function compileRule(rule: ParsedRule, pattern: string, group: string): CompiledRule {
  const verdict = Object.freeze({ allowed: rule.allow, line: rule.line, rule: rule.text, group });
  return { ...compilePattern(pattern), priority: pattern.length, allow: rule.allow, line: rule.line, verdict };
}

function compileGroup(group: AgentGroup): CompiledRule[] {
  const compiled: CompiledRule[] = [];
  let starred = 0;
  for (const rule of group.rules.flat()) {
    const star = rule.pattern.indexOf("*");
    if (star >= 0 && ++starred > MAX_STARRED_RULES) {
      if (!rule.allow) compiled.push(compileRule(rule, rule.pattern.slice(0, star), group.name));
      continue;
    }
    compiled.push(compileRule(rule, rule.pattern, group.name));
    // Google's rule: a rule that allows /a/index.html also allows /a/.
    const slash = rule.pattern.lastIndexOf("/");
    if (rule.allow && slash >= 0 && rule.pattern.startsWith("/index.htm", slash)) {
      compiled.push(compileRule(rule, `${rule.pattern.slice(0, slash + 1)}$`, group.name));
    }
  }
  // In this order, the first rule that matches decides.
  return compiled.sort(
    (left, right) =>
      right.priority - left.priority || Number(right.allow) - Number(left.allow) || left.line - right.line,
  );
}

/** Returns a function that takes a normalised path; null when the file has no rules for the agent. */
export function compileMatcher(group: AgentGroup | null): (path: string) => RobotsVerdict {
  const noRule = Object.freeze({ allowed: true, line: null, rule: null, group: group?.name ?? null });
  const rules = group === null ? [] : compileGroup(group);
  // Rules by the second character of the path (the first is always a slash), built on first use: of the
  // thousands of rules in some files, most can be skipped at once.
  const bySecond = new Map<number, CompiledRule[]>();
  return (path) => {
    const second = path.length > 1 ? path.charCodeAt(1) : 0;
    let candidates = bySecond.get(second);
    if (candidates === undefined) {
      candidates = rules.filter((rule) => rule.second === -1 || rule.second === second);
      bySecond.set(second, candidates);
    }
    for (const rule of candidates) if (rule.matches(path)) return rule.verdict;
    return noRule;
  };
}
