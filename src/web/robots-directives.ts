/**
 * What a page asks of crawlers: `<meta name="robots">` and the `X-Robots-Tag` header, as Google documents them.
 * Rules for all agents and rules for our agent are combined; if two disagree, the stricter one applies.
 */

export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
  noarchive: boolean;
  nosnippet: boolean;
  noimageindex: boolean;
  notranslate: boolean;
  indexifembedded: boolean;
  /** Time in milliseconds after which the page must not be indexed; the earliest, if several are given. */
  unavailableAfter: number | null;
  /** `max-snippet`, `max-image-preview` and `max-video-preview` as written, by name. */
  limits: Record<string, string>;
  /** Every directive that applies to us: in lower case, in order and without duplicates, to show to users. */
  found: string[];
}

/** One `<meta>` element whose name may be `robots` or an agent's token. */
export interface RobotsMeta {
  name: string;
  content: string;
}

const FLAGS = [
  "noindex",
  "nofollow",
  "noarchive",
  "nosnippet",
  "noimageindex",
  "notranslate",
  "indexifembedded",
] as const;
type Flag = (typeof FLAGS)[number];

const LIMITS = new Set(["max-snippet", "max-image-preview", "max-video-preview"]);
const UNAVAILABLE_AFTER = "unavailable_after";

/** More than any real page has; the rest of a hostile header is not read. */
const MAX_DIRECTIVES = 100;

export function emptyDirectives(): RobotsDirectives {
  return {
    ...{ noindex: false, nofollow: false, noarchive: false, nosnippet: false, noimageindex: false },
    ...{ notranslate: false, indexifembedded: false, unavailableAfter: null, limits: {}, found: [] },
  };
}

function isFlag(name: string): name is Flag {
  return (FLAGS as readonly string[]).includes(name);
}

function earliest(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.min(left, right);
}

function applyDirective(into: RobotsDirectives, name: string, value: string): void {
  const text = value === "" ? name : `${name}: ${value}`;
  if (!into.found.includes(text)) into.found.push(text);
  if (name === "none") into.noindex = into.nofollow = true;
  else if (isFlag(name)) into[name] = true;
  else if (LIMITS.has(name)) into.limits[name] ??= value;
  else if (name === UNAVAILABLE_AFTER) {
    const time = Date.parse(value);
    if (!Number.isNaN(time)) into.unavailableAfter = earliest(into.unavailableAfter, time);
  }
}

/** Whether the name before a colon is a directive with a value, not an agent. */
function takesValue(name: string): boolean {
  return LIMITS.has(name) || name === UNAVAILABLE_AFTER;
}

/**
 * Reads `a, b: c, …`. A date may hold a comma (`Fri, 17 May 2024`), so what follows `unavailable_after:` is joined
 * until the next known directive. With `agents`, `token: noindex, nofollow` is for that agent alone, up to the next
 * token.
 */
function readList(into: RobotsDirectives, list: string, agents: { own: string } | null): void {
  let forUs = true;
  const parts = list.split(",", MAX_DIRECTIVES);
  for (let index = 0; index < parts.length; index++) {
    let part = parts[index]!.trim();
    let colon = part.indexOf(":");
    let name = part
      .slice(0, colon < 0 ? part.length : colon)
      .trim()
      .toLowerCase();
    if (agents !== null && colon >= 0 && !takesValue(name)) {
      forUs = name === agents.own;
      part = part.slice(colon + 1).trim();
      colon = part.indexOf(":");
      name = part
        .slice(0, colon < 0 ? part.length : colon)
        .trim()
        .toLowerCase();
    }
    if (name === "") continue;
    let value = colon < 0 ? "" : part.slice(colon + 1).trim();
    if (name === UNAVAILABLE_AFTER) {
      while (index + 1 < parts.length && /^\s*\d/.test(parts[index + 1]!)) value += `,${parts[++index]!}`;
    }
    if (forUs) applyDirective(into, name, value);
  }
}

/** Reads the `<meta>` elements of a page that apply to all agents (`robots`) or to ours. */
export function parseRobotsMeta(metas: readonly RobotsMeta[], agentToken: string): RobotsDirectives {
  const directives = emptyDirectives();
  const own = agentToken.toLowerCase();
  for (const { name, content } of metas) {
    const forWhom = name.trim().toLowerCase();
    if (forWhom === "robots" || (forWhom === own && own !== "")) readList(directives, content, null);
  }
  return directives;
}

/**
 * Reads the values of `X-Robots-Tag`, or a text of such lines. Each line is read separately: an agent named in one line does
 * not apply to the next.
 */
export function parseRobotsHeader(values: string | readonly string[], agentToken: string): RobotsDirectives {
  const directives = emptyDirectives();
  const agents = { own: agentToken.toLowerCase() };
  for (const value of typeof values === "string" ? values.split("\n") : values) readList(directives, value, agents);
  return directives;
}

/** Combines the directives of header and page. */
export function mergeDirectives(left: RobotsDirectives, right: RobotsDirectives): RobotsDirectives {
  const merged: RobotsDirectives = {
    ...left,
    unavailableAfter: earliest(left.unavailableAfter, right.unavailableAfter),
    limits: { ...right.limits, ...left.limits },
    found: [...new Set([...left.found, ...right.found])],
  };
  for (const flag of FLAGS) merged[flag] = left[flag] || right[flag];
  return merged;
}

/** Whether the page may be indexed at a given time: `noindex`, or its date has passed. */
export function isNoindex(directives: RobotsDirectives, now: number): boolean {
  return directives.noindex || (directives.unavailableAfter !== null && directives.unavailableAfter <= now);
}
