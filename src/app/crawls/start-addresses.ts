/**
 * Start URLs inside a private network, of callers who may not crawl there: an agent can be talked into it by a page, and a server
 * that others reach would open its network to them. Metadata services of clouds are refused for all of them.
 */
import { TrawlError } from "../../errors.ts";
import type { Note } from "../../kernel/ledger.ts";
import { classOfName } from "../../net/connection/address-guard.ts";
import { type AddressClass, addressClass } from "../../net/connection/egress.ts";
import { systemLookup } from "../../net/connection/resolver.ts";
import type { Lookup } from "../../net/http-types.ts";
import { hostAndPort } from "../../net/origin.ts";
import { publicHostNote } from "../../site/client/start-hosts.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import type { Caller } from "../caller.ts";

/** Names in a longer list are not looked up here: the crawl refuses those that turn out to be private, one by one. */
const MAX_LOOKUPS = 100;

type Reach = Pick<SiteConfig, "allowPrivate" | "proxy">;

/**
 * Throws PRIVATE_START. Returns notes for the crawl: a host that passed must be public on every connection, so that a name that
 * leads elsewhere a moment later gains nothing.
 */
export async function checkStartAddresses(
  urls: readonly string[],
  { allowPrivate, proxy }: Reach,
  { isOwner, mayStartPrivate }: Caller,
  lookup: Lookup = systemLookup,
): Promise<Note[]> {
  if (isOwner) return [];
  const mayBePrivate = mayStartPrivate || allowPrivate;
  const refuse = (host: string, found: AddressClass) => {
    if (found === "metadata") throw metadataStart(host);
    if (found !== "public" && !mayBePrivate) throw privateStart(host, found);
  };
  const names: string[] = [];
  for (const host of new Set(urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, "")))) {
    const found = classOfName(host);
    if (found === null) names.push(host);
    else refuse(host, found);
  }
  if (proxy === null && names.length <= MAX_LOOKUPS) {
    await Promise.all(
      names.map(async (host) => {
        // A name that does not exist is reported by the crawl.
        for (const { address } of await lookup(host).catch(() => [])) refuse(host, addressClass(address));
      }),
    );
  }
  return mayBePrivate ? [] : urls.map((url) => publicHostNote(hostAndPort(url)));
}

const privateStart = (host: string, found: AddressClass): TrawlError =>
  new TrawlError("PRIVATE_START", `${host} is not on the public internet: its address is ${found}.`);

const metadataStart = (host: string): TrawlError =>
  new TrawlError("PRIVATE_START", `${host} is a metadata service, which gives passwords to whoever asks.`, {
    hint: "Such addresses are never crawled.",
  });
