/**
 * Whether a request is small enough to be read: the number of parameters, and the depth, keys and values of its JSON.
 * Both are counted in one pass over the text, because parsing and validating a hostile request can take minutes.
 */

import { type BodyLimits, LIMITS } from "./limits.ts";
import { InputError } from "./problem.ts";

/** Throws BAD_INPUT if the address has too many parameters. */
export function checkQuery(url: string): void {
  const start = url.indexOf("?");
  if (start < 0) return;
  let parameters = 1;
  for (let at = url.indexOf("&", start); at >= 0; at = url.indexOf("&", at + 1)) parameters++;
  if (parameters > LIMITS.queryParameters) {
    throw tooMuch(`The address has ${format(parameters)} parameters; at most ${LIMITS.queryParameters} are allowed.`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Throws BAD_INPUT if the JSON is nested too deeply, or has too many keys or values. It need not be valid JSON. */
export function checkJson(text: string, { values: maxValues }: BodyLimits): void {
  let [depth, keys, values] = [0, 0, 1];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values++;
    else if (code === COLON) keys++;
    else if ((code | BRACE_BIT) === OPEN) {
      values++;
      if (++depth > LIMITS.depth) throw tooMuch(`The body is nested more than ${LIMITS.depth} levels deep.`);
    } else if ((code | BRACE_BIT) === CLOSE) depth--;
  }
  if (keys > LIMITS.keys) {
    throw tooMuch(`The body has ${format(keys)} keys; at most ${format(LIMITS.keys)} are allowed.`);
  }
  if (values > maxValues) {
    throw tooMuch(`The body has about ${format(values)} values; at most ${format(maxValues)} are allowed here.`);
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

const format = (count: number): string => count.toLocaleString("en-US");
const tooMuch = (message: string): InputError => new InputError([{ path: "", message }]);
