/**
 * Access tokens: programs send one as `Authorization: Bearer`; browsers get a cookie in exchange for the token or for a
 * code in the address. A code works once, so an address in the browser's history is useless. A cookie is sealed with the
 * token, so a browser stays signed in when the server restarts with the same token, and nothing has to be stored.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { TrawlError } from "../../errors.ts";

/** Shorter ones could be guessed. */
const LEAST_LENGTH = 16;
/** Sessions that were ended and are refused until the server restarts. Older ones are forgotten. */
const MAX_ENDED = 1_000;
/** How many unused codes are kept. Older ones are forgotten. */
const MAX_CODES = 100;

export const newToken = (): string => randomBytes(24).toString("base64url");

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Takes the same time wherever the texts differ, and whatever their length. */
const isSame = (first: string, second: string): boolean => timingSafeEqual(digest(first), digest(second));

/** The credentials in a request. */
export interface Credentials {
  authorization: string | null;
  cookie: string | undefined;
}

export class Tokens {
  readonly token: string;
  readonly #ended = new Set<string>();
  /** Unused codes, each with the only user who may use it; null for anyone. */
  readonly #codes = new Map<string, number | null>();

  constructor(token: string) {
    if (token.length < LEAST_LENGTH || !/^[\x21-\x7e]+$/.test(token)) {
      throw new TrawlError(
        "BAD_USAGE",
        `The token must have ${LEAST_LENGTH} characters or more: letters, digits and punctuation, no spaces.`,
      );
    }
    this.token = token;
  }

  /** The value of a cookie that stands for the token in one browser, until it signs out. */
  openSession(): string {
    const id = newToken();
    return `${id}.${this.#seal(id)}`;
  }

  closeSession(session: string): void {
    if (!this.#isSession(session)) return;
    this.#ended.add(session);
    if (this.#ended.size > MAX_ENDED) this.#ended.delete(this.#ended.values().next().value!);
  }

  /**
   * A browser is started with the code in its command line, which every user of the machine can read: `user` is the one whose browser
   * it is for. Null for anyone, or when the system does not say whose a connection is.
   */
  issueCode(user: number | null): string {
    const code = newToken();
    this.#codes.set(code, user);
    if (this.#codes.size > MAX_CODES) this.#codes.delete(this.#codes.keys().next().value!);
    return code;
  }

  /** Checks a token or an unused code from an address, and uses the code up. `userOf`: who sends it; null when the system does not say. */
  takeFromAddress(given: string, userOf: () => number | null): boolean {
    if (isSame(given, this.token)) return true;
    // All are compared, so that the time does not reveal which one matched.
    const [matched] = [...this.#codes].filter(([code]) => isSame(given, code));
    if (matched === undefined) return false;
    const [code, user] = matched;
    const sender = user === null ? null : userOf();
    // Somebody else's attempt does not use it up.
    if (sender !== null && sender !== user) return false;
    this.#codes.delete(code);
    return true;
  }

  isAuthorized({ authorization, cookie }: Credentials): boolean {
    const bearer = /^Bearer +(\S+)\s*$/i.exec(authorization ?? "")?.[1];
    if (bearer !== undefined) return isSame(bearer, this.token);
    return cookie !== undefined && this.#isSession(cookie);
  }

  #isSession(cookie: string): boolean {
    const [id = "", seal = "", ...more] = cookie.split(".");
    // Otherwise an ended session could be sent as a different text.
    return more.length === 0 && isSame(seal, this.#seal(id)) && !this.#ended.has(cookie);
  }

  #seal(id: string): string {
    return createHmac("sha256", this.token).update(`session ${id}`).digest("base64url");
  }
}
