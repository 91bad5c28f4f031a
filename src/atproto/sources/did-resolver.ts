/** Finds the document of a DID: in the PLC directory, or at the host that a did:web names. */
import { isWebDid, webDidUrl } from "./did.ts";
import { type DidDocument, parseDidDocument } from "./did-document.ts";
import { type SourceClient, SourceError } from "./source-client.ts";

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
    if (document === null) throw new SourceError(`${url} is no document of ${did}`, 200);
    return document;
  }
}
