/** Who makes a request to the app, and what they may do that others may not. */
export interface Caller {
  /**
   * The person whose account this is: on the command line, in a program that uses the library, or through their own
   * schedule.
   */
  isOwner: boolean;
  /** May start a crawl at an address inside this machine's network. */
  mayStartPrivate: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

export const OWNER: Caller = { isOwner: true, mayStartPrivate: true };

/** Anyone who asks over REST or MCP, unless the server knows better: a token proves access to Trawl, not to the account. */
export const REMOTE: Caller = { isOwner: false, mayStartPrivate: false };
