/** The query of a canonical URL: removes the given parameters, and sorts the rest on request. */
import { isSessionPair } from "./session-ids.ts";

export interface QueryOptions {
  /** Names of parameters to remove, in any case; a trailing `*` means "begins with": `utm_*`. */
  stripParams: readonly string[];
  /** Sort parameters by name. Parameters with the same name keep their order, which may matter. */
  sortQuery: boolean;
  /** Drop the query altogether. */
  stripAllQuery: boolean;
  /** Remove session ids, including those in the path. */
  stripSessions?: boolean;
}

/** Takes a query without its `?` and returns it cleaned; an empty result means that there is no query. */
export type QueryCleaner = (query: string) => string;

const LOWER_S = 0x73;

function parameterName(pair: string): string {
  const equals = pair.indexOf("=");
  return equals < 0 ? pair : pair.slice(0, equals);
}

function compareNames(left: string, right: string): number {
  const leftName = parameterName(left);
  const rightName = parameterName(right);
  return leftName < rightName ? -1 : leftName > rightName ? 1 : 0;
}

/** Sorts pairs by name and drops empty ones (`a=1&&b=2`), which would otherwise gather at the front. */
function sortPairs(query: string): string {
  if (!query.includes("&")) return query;
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .sort(compareNames)
    .join("&");
}

export function createQueryCleaner(options: QueryOptions): QueryCleaner {
  const exact = new Set<string>();
  const prefixes: string[] = [];
  // Most parameters are kept, and their first letter alone usually shows it, without a slice or a look-up.
  const firstLetters = new Uint8Array(128);
  let anyLetter = false;
  const { stripSessions = false } = options;
  for (const written of options.stripParams) {
    const name = written.toLowerCase();
    const prefix = name.endsWith("*") ? name.slice(0, -1) : null;
    if (prefix === null) exact.add(name);
    else prefixes.push(prefix);
    const first = name.charCodeAt(0);
    if (prefix === "" || !(first < 128)) anyLetter = true;
    else {
      firstLetters[first] = 1;
      firstLetters[String.fromCharCode(first).toUpperCase().charCodeAt(0)] = 1;
    }
  }

  function isStripped(query: string, start: number, end: number): boolean {
    const first = query.charCodeAt(start);
    if (stripSessions && (first | 0x20) === LOWER_S && isSessionPair(query.slice(start, end))) return true;
    if (!anyLetter && (first >= 128 || firstLetters[first] === 0)) return false;
    const name = parameterName(query.slice(start, end)).toLowerCase();
    return exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  }

  function strip(query: string): string {
    let kept = "";
    let keptUntil = 0;
    let changed = false;
    for (let start = 0; start <= query.length; ) {
      const ampersand = query.indexOf("&", start);
      const end = ampersand < 0 ? query.length : ampersand;
      if (end > start && isStripped(query, start, end)) {
        kept += query.slice(keptUntil, start);
        keptUntil = end + 1;
        changed = true;
      }
      start = end + 1;
    }
    if (!changed) return query;
    kept += query.slice(keptUntil);
    // The last pair was removed, but its separator is still there.
    return keptUntil > query.length && kept.endsWith("&") ? kept.slice(0, -1) : kept;
  }

  const strips = exact.size > 0 || prefixes.length > 0 || stripSessions;
  return (query) => {
    if (options.stripAllQuery || query === "") return "";
    const stripped = strips ? strip(query) : query;
    return options.sortQuery ? sortPairs(stripped) : stripped;
  };
}
