/** The signing keys that an archive is verified with: those that its crawls found, or those of a file. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import { IDENTITY_FOLDER } from "./folder-files.ts";
import { isDid } from "./identity/did.ts";
import { Identities } from "./identity/identities.ts";
import type { KnownKeys } from "./rca/repair/check-proof.ts";

export interface SigningKeys extends Disposable {
  /** Null when none is known. */
  of(did: string): KnownKeys | null;
}

/** `file`: a DID and a key on each line, as did:key or multikey; it counts more than what crawls found. */
export function openSigningKeys(archive: string, file: string | null): SigningKeys {
  const named = file === null ? new Map<string, string[]>() : readKeys(file);
  const folder = join(archive, IDENTITY_FOLDER);
  const identities = existsSync(folder)
    ? new Identities({ folder, maxAgeMs: Number.POSITIVE_INFINITY, now: Date.now })
    : null;
  return {
    of(did) {
      const keys = named.get(did);
      if (keys !== undefined) return { keys, since: 0, earlier: [] };
      const identity = identities?.findAny(did) ?? null;
      if (identities === null || identity === null) return null;
      const current = identity.signingKey === null ? [] : [identity.signingKey];
      return { keys: current, since: identity.since, earlier: identities.earlierKeys(did) };
    },
    [Symbol.dispose]: () => identities?.close(),
  };
}

function readKeys(path: string): Map<string, string[]> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `--keys: ${path} cannot be read (${(error as Error).message})`);
  }
  const keys = new Map<string, string[]>();
  for (const [index, line] of text.split("\n").entries()) {
    const [did = "", key = "", ...rest] = line.trim().split(/\s+/);
    if (did === "" || did.startsWith("#")) continue;
    if (!isDid(did) || !/^(?:did:key:)?z/.test(key) || rest.length > 0) {
      throw new TrawlError("BAD_USAGE", `--keys: line ${index + 1} of ${path} is not a DID and a did:key.`);
    }
    keys.set(did, [...(keys.get(did) ?? []), key]);
  }
  return keys;
}
