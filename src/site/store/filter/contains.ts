/**
 * Whether a URL contains a text as people write it. URLs are stored in ASCII: `日本語` in a path is `%E6%97%A5…`, and in a
 * host `xn--wgv71a119e`.
 */
import { domainToASCII } from "node:url";
import type { Condition } from "./filter.ts";

/** Case does not matter. */
export function containsText(sql: string, text: string): Condition {
  return { sql: `coalesce(instr(lower(${sql}), lower(?)), 0) > 0`, values: [text] };
}

export function urlContains(sql: string, text: string): Condition {
  const forms = urlForms(text).map((form) => containsText(sql, form));
  return {
    sql: `(${forms.map((form) => form.sql).join(" OR ")})`,
    values: forms.flatMap(({ values }) => values),
  };
}

/** The text, and how it is written in a URL if that differs. */
function urlForms(text: string): string[] {
  // SQLite's lower() knows ASCII only, so both cases of É are looked for.
  const inPaths = [text, text.toLowerCase()].map(encoded);
  const isHost = /^[\p{L}\p{N}.-]+$/u.test(text) && /[^\0-\x7f]/.test(text);
  const inHosts = isHost ? [domainToASCII(text)] : [];
  // An empty text is in every URL; text that cannot be part of a host has an empty form.
  return [...new Set([text, ...[...inPaths, ...inHosts].filter((form) => form !== "")])];
}

/** ASCII is left as it is, because the signs of `/a?b=c` are in URLs too. Half a character has no encoded form. */
const encoded = (text: string): string =>
  text.isWellFormed() ? text.replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent) : text;
