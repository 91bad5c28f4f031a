/**
 * Start URLs inside a private network, for callers who may not crawl there. A page could talk an agent into such a
 * crawl, and a server that others reach would open its network to them. Cloud metadata services are refused for all of
 * these callers.
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

/**
 * Names in a longer list are not looked up here. During the crawl, those that turn out to be private are refused one by
 * one.
 */
const MAX_LOOKUPS = 100;

type Reach = Pick<SiteConfig, "allowPrivate" | "proxy">;

/**
 * Throws PRIVATE_START. Returns notes for the crawl: a host that passed must be public on every connection, so that a
 * name that changes its address a moment later gains nothing.
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
        // The crawl reports a name that does not exist.
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
