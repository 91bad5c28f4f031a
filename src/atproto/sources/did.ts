/** A DID: which texts are one, and its document, found in the PLC directory or at the host that a did:web names. */
import { z } from "zod";
import { type SourceClient, SourceError } from "./source-client.ts";

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

/** What a DID document says of an account. */
export interface DidDocument {
  pds: string | null;
  /** As multikey; null when the document has none in a current form. */
  signingKey: string | null;
}

const Document = z.object({
  id: z.string(),
  service: z.array(z.object({ id: z.string(), serviceEndpoint: z.unknown().optional() })).nullish(),
  verificationMethod: z
    .array(z.object({ id: z.string(), type: z.string(), publicKeyMultibase: z.string().nullish() }))
    .nullish(),
});

/** Null when it is not the document of this DID. */
function parseDidDocument(written: unknown, did: string): DidDocument | null {
  const document = Document.safeParse(written);
  if (!document.success || document.data.id !== did) return null;
  const { service, verificationMethod } = document.data;
  const isNamed = (id: string, name: string) => id === name || id === did + name;
  const pds = service?.find(({ id }) => isNamed(id, "#atproto_pds"))?.serviceEndpoint;
  const key = verificationMethod?.find(({ id, type }) => isNamed(id, "#atproto") && type === "Multikey");
  return { pds: typeof pds === "string" ? pds : null, signingKey: key?.publicKeyMultibase ?? null };
}

export interface DidResolverOptions {
  client: SourceClient;
  /** The PLC directory, without a slash at the end. */
  plcUrl: string;
}

export class DidResolver {
  readonly #options: DidResolverOptions;

  constructor(options: DidResolverOptions) {
    this.#options = options;
  }

  /** Rejects with a SourceError. A DID that is gone is not found. */
  async resolve(did: string): Promise<DidDocument> {
    const { client, plcUrl } = this.#options;
    const url = isWebDid(did) ? webDidUrl(did) : `${plcUrl}/${did}`;
    const document = parseDidDocument(await client.json(url), did);
    if (document === null) throw new SourceError(`${url} is not a document of ${did}`, 200);
    return document;
  }
}
