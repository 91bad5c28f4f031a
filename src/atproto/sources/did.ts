/** Which texts are DIDs of accounts, and where the document of a did:web is. */

/** did:plc is 24 characters of base32; did:web is a host, perhaps with a port, and never a path in the AT Protocol. */
const PLC = /^did:plc:[a-z2-7]{24}$/;
const WEB = /^did:web:[a-zA-Z0-9](?:[a-zA-Z0-9.-]{0,250}[a-zA-Z0-9])?(?:%3[aA]\d{1,5})?$/;

/** Only these may be written into a query or a URL: none of their characters means anything there. */
export const isDid = (text: string): boolean => PLC.test(text) || WEB.test(text);

export const isWebDid = (did: string): boolean => did.startsWith("did:web:");

/** The address of its document; `http:` for a host on this machine, which only `--allow-private` lets be asked. */
export function webDidUrl(did: string): string {
  const host = decodeURIComponent(did.slice("did:web:".length)).toLowerCase();
  const isLocal = /^(?:localhost|127\.0\.0\.1)(?::|$)/.test(host);
  return `${isLocal ? "http" : "https"}://${host}/.well-known/did.json`;
}
