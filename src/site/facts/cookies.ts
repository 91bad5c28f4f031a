/** The cookies that a response sets, with the attributes that protect them. Their values are secrets, and are left out. */
import { type HeaderPairs, headerValues } from "../../net/headers.ts";

/** More than a browser keeps for one site; the rest of a hostile response is not stored. */
const MOST_COOKIES = 50;
const MOST_NAME = 100;

/** `session; Secure; HttpOnly; SameSite=Lax`, one line per cookie; null when the response sets none. */
export function cookieFacts(headers: HeaderPairs): string | null {
  const lines = headerValues(headers, "set-cookie").slice(0, MOST_COOKIES).map(cookieLine);
  return lines.length === 0 ? null : lines.join("\n");
}

function cookieLine(header: string): string {
  const [pair, ...attributes] = header.split(";");
  const name = pair!
    .slice(0, Math.max(pair!.indexOf("="), 0))
    .trim()
    .slice(0, MOST_NAME);
  const has = (wanted: string): boolean => attributes.some((each) => each.trim().toLowerCase() === wanted);
  const sameSite = attributes.map((each) => /^\s*samesite\s*=\s*(strict|lax|none)\s*$/i.exec(each)?.[1]).find(Boolean);
  return [
    name,
    ...(has("secure") ? ["Secure"] : []),
    ...(has("httponly") ? ["HttpOnly"] : []),
    ...(sameSite === undefined ? [] : [`SameSite=${sameSite}`]),
  ].join("; ");
}
