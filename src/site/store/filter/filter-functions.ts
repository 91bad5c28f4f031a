/** Functions that filters call in SQL, in addition to SQLite's own. */
import type { DatabaseSync } from "node:sqlite";
import { safeRegex } from "../../../web/safe-regex.ts";

/** `trawl_matches(pattern, text)`: whether a regular expression matches anywhere in the text. */
export const MATCHES = "trawl_matches";

/** More than a question has. */
const MOST_PATTERNS = 100;

/** Adds the functions to this connection. Patterns take time linear in the text, whatever they are. */
export function addFilterFunctions(db: DatabaseSync): void {
  const compiled = new Map<string, ReturnType<typeof safeRegex>>();
  db.function(MATCHES, { deterministic: true }, (pattern, text) => {
    if (text === null || text === undefined) return null;
    const written = String(pattern);
    let regex = compiled.get(written);
    if (regex === undefined) {
      // A connection stays open for long, so old patterns are not kept.
      if (compiled.size >= MOST_PATTERNS) compiled.clear();
      regex = safeRegex(written, "i");
      compiled.set(written, regex);
    }
    return Number(regex.test(String(text)));
  });
}
