/** What a DID document says of an account: where its repo is, and the key that signs it. */
import { z } from "zod";

export interface DidDocument {
  pds: string | null;
  /** As multikey; null when there is none in a form of today. */
  signingKey: string | null;
}

const Document = z.object({
  id: z.string(),
  service: z.array(z.object({ id: z.string(), serviceEndpoint: z.unknown().optional() })).nullish(),
  verificationMethod: z
    .array(z.object({ id: z.string(), type: z.string(), publicKeyMultibase: z.string().nullish() }))
    .nullish(),
});

/** Null when it is no document of this DID. */
export function parseDidDocument(written: unknown, did: string): DidDocument | null {
  const document = Document.safeParse(written);
  if (!document.success || document.data.id !== did) return null;
  const { service, verificationMethod } = document.data;
  const isNamed = (id: string, name: string) => id === name || id === did + name;
  const pds = service?.find(({ id }) => isNamed(id, "#atproto_pds"))?.serviceEndpoint;
  const key = verificationMethod?.find(({ id, type }) => isNamed(id, "#atproto") && type === "Multikey");
  return { pds: typeof pds === "string" ? pds : null, signingKey: key?.publicKeyMultibase ?? null };
}
