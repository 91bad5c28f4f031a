/** Is a repo what the format says, inside its frames too: order, numbers, and JSON that can be read? */
import { isUtf8 } from "node:buffer";
import { BadBytes, reasonOf } from "./bad-bytes.ts";
import type { CompressedCollection, RepoBlock } from "./block.ts";
import { compareBytewise } from "./bytewise.ts";
import { contentOf } from "./compress.ts";
import { recordsOf } from "./record-list.ts";

export interface RepoCheck {
  /** Records of whole collections. */
  records: number;
  /** `collection/rkey` of those. */
  keys: Set<string>;
  /** The first problem of each collection. */
  problems: string[];
}

export function checkRepo(repo: RepoBlock): RepoCheck {
  const check: RepoCheck = { records: 0, keys: new Set(), problems: [] };
  let before: string | null = null;
  for (const collection of repo.collections) {
    const { name, recordCount } = collection;
    if (before !== null && compareBytewise(before, name) >= 0) check.problems.push(`${name} is out of order`);
    if (recordCount === 0) check.problems.push(`${name} has no records`);
    before = name;
    try {
      for (const key of keysOf(collection)) check.keys.add(key);
      check.records += recordCount;
    } catch (error) {
      check.problems.push(`${name}: ${reasonOf(error)}`);
    }
  }
  return check;
}

function keysOf(collection: CompressedCollection): string[] {
  const { name, recordCount } = collection;
  const keys: string[] = [];
  let before: string | null = null;
  for (const { rkey, value } of recordsOf(contentOf(collection), recordCount)) {
    if (before !== null && compareBytewise(before, rkey) >= 0) throw new BadBytes(`rkey ${rkey} is out of order`);
    if (!isJson(value)) throw new BadBytes(`the record ${rkey} is no JSON`);
    before = rkey;
    keys.push(`${name}/${rkey}`);
  }
  return keys;
}

function isJson(value: Buffer): boolean {
  if (!isUtf8(value)) return false;
  try {
    JSON.parse(value.toString());
    return true;
  } catch {
    return false;
  }
}
