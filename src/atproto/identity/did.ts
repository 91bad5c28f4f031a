/** A DID: which texts are one, and its document, found in the PLC directory or at the host that a did:web names. */

import { isIP } from "node:net";
import { z } from "zod";
import { decodeBase58, encodeBase58 } from "../repo/multibase.ts";
import { type SourceClient, SourceError } from "../sources/source-client.ts";

/** did:plc is 24 characters of base32; did:web is a host, perhaps with a port, and never a path in the AT Protocol. */
const PLC = /^did:plc:[a-z2-7]{24}$/;
const WEB = /^did:web:[a-zA-Z0-9](?:[a-zA-Z0-9.-]{0,250}[a-zA-Z0-9])?(?:%3[aA]\d{1,5})?$/;

/** Only these may be put into a query or a URL: none of their characters is special there. */
export const isDid = (text: string): boolean => PLC.test(text) || WEB.test(text);

export const isWebDid = (did: string): boolean => did.startsWith("did:web:");

/** The address of its document; `http:` for a host on this machine, which is requested only with `--allow-private`. */
export function webDidUrl(did: string): string {
  const host = decodeURIComponent(did.slice("did:web:".length)).toLowerCase();
  const isLocal = /^(?:localhost|127\.0\.0\.1)(?::|$)/.test(host);
  return `${isLocal ? "http" : "https"}://${host}/.well-known/did.json`;
}

/** What a DID document says about an account. */
export interface DidDocument {
  pds: string | null;
  /** As did:key; null when the document has none of a known type. */
  signingKey: string | null;
}

/** Entries are read one by one: owners add others for other uses, and a broken one must not cost the account. */
const Document = z.object({
  id: z.string(),
  service: z.unknown().optional(),
  verificationMethod: z.unknown().optional(),
});
const Service = z.object({ id: z.string(), serviceEndpoint: z.string() });
const Key = z.object({ id: z.string(), type: z.string(), publicKeyMultibase: z.string() });

/** Null when it is not the document of this DID. */
export function parseDidDocument(written: unknown, did: string): DidDocument | null {
  const document = Document.safeParse(written);
  if (!document.success || document.data.id !== did) return null;
  const { service, verificationMethod } = document.data;
  const isNamed = (id: string, name: string) => id === name || id === did + name;
  const services = usable(Service, service).filter(({ id }) => isNamed(id, "#atproto_pds"));
  const keys = usable(Key, verificationMethod).filter(({ id }) => isNamed(id, "#atproto"));
  const signingKeys = keys.map(({ type, publicKeyMultibase }) => didKeyOf(type, publicKeyMultibase));
  return {
    pds: services[0]?.serviceEndpoint ?? null,
    signingKey: signingKeys.find((key) => key !== null) ?? null,
  };
}

/** Some documents have a single entry instead of a list. */
const usable = <T>(schema: z.ZodType<T>, written: unknown): T[] =>
  [written].flat().flatMap((entry) => {
    const read = schema.safeParse(entry);
    return read.success ? [read.data] : [];
  });

/** Documents from before Multikey name the curve in the type, and have the bare point, compressed or not. */
const CODECS: Readonly<Record<string, readonly [number, number]>> = {
  EcdsaSecp256k1VerificationKey2019: [0xe7, 0x01],
  EcdsaSecp256r1VerificationKey2019: [0x80, 0x24],
};
const COMPRESSED_BYTES = 33;
const UNCOMPRESSED_BYTES = 65;
/** An uncompressed point takes 89 characters. */
const LONGEST_KEY = 128;

function didKeyOf(type: string, multibase: string): string | null {
  if (!multibase.startsWith("z") || multibase.length > LONGEST_KEY) return null;
  if (type === "Multikey") return `did:key:${multibase}`;
  const codec = CODECS[type];
  const point = codec === undefined ? null : compressed(decodeBase58(multibase.slice(1)));
  return point === null ? null : `did:key:z${encodeBase58(Buffer.concat([Buffer.from(codec!), point]))}`;
}

function compressed(point: Uint8Array | null): Uint8Array | null {
  if (point?.length === COMPRESSED_BYTES) return point;
  if (point?.length !== UNCOMPRESSED_BYTES || point[0] !== 4) return null;
  return Uint8Array.of(2 + (point.at(-1)! & 1), ...point.subarray(1, COMPRESSED_BYTES));
}

export interface DidResolverOptions {
  client: SourceClient;
  /** For did:web: anyone can name any host there, so it does not wait long for any of them. */
  webClient: SourceClient;
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
    const { client, webClient, plcUrl } = this.#options;
    const url = isWebDid(did) ? webDidUrl(did) : `${plcUrl}/${did}`;
    const document = parseDidDocument(await (isWebDid(did) ? webClient : client).json(url), did);
    if (document === null) throw new SourceError(`${url} is not a document of ${did}`, 200);
    return document;
  }
}

/**
 * The address of a PDS, in one form per host. Account owners write it, so it is untrusted: anything but a plain public https
 * origin is refused here, and names that resolve to private addresses are refused when connecting.
 */
export type Endpoint = { origin: string; refused: null } | { origin: null; refused: string };

/** Longer than any host name with a port. */
const MAX_LENGTH = 300;

export function normaliseEndpoint(written: string, allowPrivate: boolean): Endpoint {
  const url = written.length > MAX_LENGTH ? null : URL.parse(written.trim());
  if (url === null) return refused("it is not a URL");
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) return refused("it is not https");
  if (url.username !== "" || url.password !== "") return refused("it has a user name");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return refused("it has a path");
  const host = url.hostname.replace(/\.$/, "");
  if (!allowPrivate) {
    if (host.startsWith("[") || isIP(host) !== 0) return refused("it is a raw address");
    if (host === "localhost" || /\.(?:localhost|local|internal|test|invalid)$/.test(host) || !host.includes(".")) {
      return refused("it is not a public name");
    }
  }
  return { origin: `${url.protocol}//${host}${url.port === "" ? "" : `:${url.port}`}`, refused: null };
}

/** The endpoint of a host that was named without a scheme, as relays do. */
export function endpointOfHost(host: string, allowPrivate: boolean): Endpoint {
  const isLocal = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d+)?$/i.test(host);
  return normaliseEndpoint(`${allowPrivate && isLocal ? "http" : "https"}://${host}`, allowPrivate);
}

const refused = (reason: string): Endpoint => ({ origin: null, refused: reason });
