/**
 * Who may ask: a token that programs send as `Authorization: Bearer`, and for browsers a cookie, which they get once in
 * exchange for a token in the address. Codes for that exchange are good once, so the address bar's history opens nothing.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { TrawlError } from "../../errors.ts";

/** Shorter ones could be guessed by trying. */
const LEAST_LENGTH = 16;
/** Browsers that are signed in; the one that came first is signed out. */
const MAX_SESSIONS = 200;
/** Codes that wait to be used: each is one opened address. Older ones are forgotten. */
const MAX_CODES = 100;

export const newToken = (): string => randomBytes(24).toString("base64url");

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** In the same time whether the first or the last letter differs, and whatever the length. */
const isSame = (first: string, second: string): boolean => timingSafeEqual(digest(first), digest(second));

export class Tokens {
  readonly token: string;
  readonly #sessions = new Set<string>();
  readonly #codes = new Set<string>();

  constructor(token: string) {
    if (token.length < LEAST_LENGTH || !/^[\x21-\x7e]+$/.test(token)) {
      throw new TrawlError(
        "BAD_USAGE",
        `The token must have ${LEAST_LENGTH} characters or more: letters, digits and marks, no spaces.`,
      );
    }
    this.token = token;
  }

  /** The value of a cookie that stands for the token in one browser, until it signs out. */
  openSession(): string {
    const session = newToken();
    this.#sessions.add(session);
    if (this.#sessions.size > MAX_SESSIONS) this.#sessions.delete(this.#sessions.values().next().value!);
    return session;
  }

  closeSession(session: string): void {
    this.#sessions.delete(session);
  }

  issueCode(): string {
    const code = newToken();
    this.#codes.add(code);
    if (this.#codes.size > MAX_CODES) this.#codes.delete(this.#codes.values().next().value!);
    return code;
  }

  /** A token or unused code from an address; the code is used up by this. */
  takeFromAddress(given: string): boolean {
    if (isSame(given, this.token)) return true;
    // All are compared, so that the time says nothing about which.
    const matched = [...this.#codes].filter((code) => isSame(given, code));
    for (const code of matched) this.#codes.delete(code);
    return matched.length > 0;
  }

  isAuthorized({ authorization, cookie }: { authorization: string | null; cookie: string | undefined }): boolean {
    const bearer = /^Bearer +(\S+)\s*$/i.exec(authorization ?? "")?.[1];
    if (bearer !== undefined) return isSame(bearer, this.token);
    // All are compared, as with codes.
    return cookie !== undefined && [...this.#sessions].filter((session) => isSame(cookie, session)).length > 0;
  }
}
