/** Requests one robots.txt, following redirects, and says what the answer means. */
import type { LaneSignal } from "../kernel/lane.ts";
import type { CrawlContext } from "../kernel/product.ts";
import { FetchError } from "../net/fetch-errors.ts";
import type { HttpRequest, HttpResponse } from "../net/http-types.ts";
import type { RobotsFetch, RobotsOutcome } from "../web/robots/outcome.ts";
import { MAX_ROBOTS_BYTES, withoutCutLine } from "../web/robots/robots.ts";
import { createCanonicalizer, hostOf, prepareBase } from "../web/url.ts";
import { isRetryable, laneSignal } from "./host-lane.ts";

export interface RobotsClient {
  /** `context`: for a client that paces requests itself. */
  fetch(request: HttpRequest, context: CrawlContext): Promise<HttpResponse>;
}

/** Where the redirects of a robots.txt ended. */
export interface FetchedRobots {
  fetched: RobotsFetch;
  text: string;
  /** What the host's lane should learn. */
  signal: LaneSignal;
  /** The same request may succeed a little later. */
  mayPass: boolean;
  /** What it means that no server answered; null when one did. */
  nobody: RobotsOutcome | null;
}

/** RFC 9309 section 2.3.1.2. */
const MAX_REDIRECTS = 5;

/** No server was reached, and the page's own request will fail the same way: its error says more than a disallow would. */
const NOBODY_THERE: ReadonlySet<string> = new Set([
  "dns_not_found",
  "connect_refused",
  "tls_failed",
  "private_address",
  "address_changed",
]);

const canonicalize = createCanonicalizer({
  stripParams: [],
  sortQuery: false,
  stripAllQuery: false,
  keepFragments: false,
  maxLength: 2_083,
});

/** Each redirect waits for the clock of its own host. The last answer may still be a redirect. */
export async function requestRobots(
  start: string,
  client: RobotsClient,
  context: CrawlContext,
  now: () => number,
): Promise<FetchedRobots> {
  let url = start;
  let signal: LaneSignal = { kind: "neutral" };
  for (let hop = 0; ; hop++) {
    if (hop > 0) await context.pace(hostOf(url));
    const response = await request(url, client, context);
    // What the first host answered is what its lane learns.
    if (hop === 0) signal = laneSignal(response, now());
    const mayPass = isRetryable(response instanceof FetchError ? response : response.status);
    if (response instanceof FetchError) {
      const nobody = NOBODY_THERE.has(response.code) ? nobodyThere(response) : null;
      const isOurs = response.code === "private_address";
      return { fetched: { error: response.message, isOurs }, text: "", signal, mayPass, nobody };
    }
    const { status, location } = response;
    if (location === null) {
      return { fetched: { status }, text: readableText(response), signal, mayPass, nobody: null };
    }
    const next = canonicalize(location, prepareBase(url));
    if (typeof next !== "string" || hop === MAX_REDIRECTS) {
      return { fetched: { status }, text: "", signal, mayPass: false, nobody: null };
    }
    url = next;
  }
}

async function request(url: string, client: RobotsClient, context: CrawlContext): Promise<HttpResponse | FetchError> {
  try {
    // Independent of the limit for pages: rules that were cut off would not be obeyed.
    return await client.fetch({ url, signal: context.signal, leastBytes: MAX_ROBOTS_BYTES }, context);
  } catch (error) {
    if (error instanceof FetchError && error.code !== "aborted" && error.code !== "closed") return error;
    throw error;
  }
}

/** Parsers read no more than this (RFC 9309 section 2.5), so no more is stored: a note must not contain megabytes. */
function readableText({ body, truncated }: HttpResponse): string {
  const text = body.subarray(0, MAX_ROBOTS_BYTES).toString("utf8");
  return truncated !== null || body.length > MAX_ROBOTS_BYTES ? withoutCutLine(text) : text;
}

/** Valid for a minute only: if the host comes back, its rules apply. */
const nobodyThere = (error: FetchError): RobotsOutcome => ({
  kind: "allow-all",
  ttlMs: 60_000,
  reason: `robots.txt could not be read: ${error.message}`,
});
