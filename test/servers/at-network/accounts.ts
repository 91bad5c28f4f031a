/** The accounts of the network: DIDs, keys, hosts and repos; the same in every run. */
import type { Keypair } from "@atproto/crypto";
import { FAULTS, type Fault, type FaultName } from "./faults.ts";
import { type BuiltRepo, buildRepo, keyFor, type RepoSpec, sha256 } from "./repo.ts";

export interface Account {
  did: string;
  handle: string;
  index: number;
  /** Name of the PDS. */
  host: string;
  fault: FaultName | null;
  key: Keypair;
  /** Counts changes of the repo. */
  version: number;
  repo: BuiltRepo;
  /** The type of the key in its document, if it is not Multikey. */
  oldKey?: OldKey;
}

/** As documents had it before Multikey: the bare point, compressed or not. */
export interface OldKey {
  type: string;
  publicKeyMultibase: string;
}

export interface AccountSpec {
  index: number;
  host: string;
  fault: FaultName | null;
  /** A did:web under this name; else a did:plc. */
  webHost?: string;
  records: number;
  seed: number;
}

export const faultOf = ({ fault }: Pick<Account, "fault">): Fault => (fault === null ? GOOD : FAULTS[fault]);

const GOOD: Fault = { expects: null };

/** Repos take longer to sign than to serve, and tests of one file use the same ones. */
const built = new Map<string, Promise<BuiltRepo>>();

export async function makeAccount({ index, host, fault, webHost, records, seed }: AccountSpec): Promise<Account> {
  const did = webHost === undefined ? plcDid(`${seed} ${index}`) : `did:web:${webHost}`;
  const key = await keyFor(did, index);
  const account = { did, handle: `user-${index}.atp.example`, index, host, fault, key, version: 0 };
  return { ...account, repo: await repoOf(account, records, seed) };
}

export function repoOf(account: Omit<Account, "repo">, records: number, seed: number): Promise<BuiltRepo> {
  const { did, key, version, index } = account;
  const spec: RepoSpec = { did, key, version, records, seed: seed * 10_000 + index, ...faultOf(account).shape };
  const name = JSON.stringify({ ...spec, key: key.did() });
  const found = built.get(name) ?? buildRepo(spec);
  built.set(name, found);
  return found;
}

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

export function plcDid(name: string): string {
  const hash = sha256(Buffer.from(`trawl test did ${name}`));
  return `did:plc:${Array.from({ length: 24 }, (_, index) => BASE32[hash[index]! & 31]).join("")}`;
}
