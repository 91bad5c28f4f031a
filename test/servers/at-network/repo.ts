/** A repo with real signatures, built by the reference implementation, and its CAR in all forms that occur. */
import { createHash } from "node:crypto";
import { type Keypair, P256Keypair, Secp256k1Keypair } from "@atproto/crypto";
import { BlockMap, cborToLex, MemoryBlockstore, MST, signCommit, writeCarStream } from "@atproto/repo";
import { seededRandom } from "../random.ts";

type Cid = Awaited<ReturnType<BlockMap["add"]>>;
type Block = { cid: Cid; bytes: Uint8Array };

/** What differs from the usual repo of commit version 3, commit first. */
export interface RepoShape {
  /** Blocks in another order, some twice, and one that nothing refers to: real exports are like that. */
  untidy?: boolean;
  /** As before 2023: the commit has no rev of its own in older ones; here it has one, but version 2. */
  commitVersion?: 2 | 3;
  /** One record is not CBOR, though its hash is right. */
  badRecord?: boolean;
  /** One record's block is not there. */
  missingBlock?: boolean;
  /** One record's block has other bytes than its CID says. */
  badHash?: boolean;
  /** So many bytes more, in blocks that nothing refers to. */
  padding?: number;
  /** Signed with a key that is not the account's. */
  foreignSignature?: boolean;
}

export interface RepoSpec extends RepoShape {
  did: string;
  key: Keypair;
  /** Counts up with every change of the repo. */
  version: number;
  records: number;
  seed: number;
}

export interface BuiltRepo {
  car: Uint8Array;
  rev: string;
  commitCid: string;
  /** Records that an archive must hold, as `collection/rkey`, in the order of the tree. */
  paths: string[];
}

const PAD_BYTES = 1 << 20;

const COLLECTIONS = ["app.bsky.feed.post", "app.bsky.feed.like", "app.bsky.graph.follow"] as const;

/** The same key for the same name in every run; every third is of the other curve. */
export async function keyFor(name: string, index: number): Promise<Keypair> {
  const secret = sha256(Buffer.from(`trawl test key ${name}`));
  return index % 3 === 2 ? P256Keypair.import(secret) : Secp256k1Keypair.import(secret);
}

export async function buildRepo(spec: RepoSpec): Promise<BuiltRepo> {
  const random = seededRandom(spec.seed * 7_919 + spec.version);
  const records = new BlockMap();
  const paths: string[] = [];
  let tree = await MST.create(new MemoryBlockstore());
  let last: Cid | null = null;
  for (let index = 0; index < spec.records; index++) {
    const path = pathOf(index);
    const cid: Cid =
      spec.badRecord && index === 0
        ? put(records, Uint8Array.of(0xa1, 0x61, 0x61, 0xff))
        : await records.add(recordOf(spec, index, random));
    tree = await tree.add(path, cid);
    if (!(spec.badRecord && index === 0)) paths.push(path);
    last = cid;
  }
  const { root, blocks: nodes } = await tree.getUnstoredBlocks();
  const rev = tid(spec.seed * 1_000 + spec.version);
  const signer = spec.foreignSignature ? await keyFor("somebody else", 0) : spec.key;
  const unsigned = { did: spec.did, version: spec.commitVersion ?? 3, data: root, rev, prev: null };
  const commits = new BlockMap();
  const commitCid = await commits.add(await signCommit(unsigned as never, signer));
  const blocks = await damaged(
    spec,
    [commits, nodes, records].flatMap((map) => map.entries()) as Block[],
    last,
    random,
  );
  const pieces: Uint8Array[] = [];
  for await (const piece of writeCarStream(commitCid, each(blocks))) pieces.push(piece);
  return { car: Buffer.concat(pieces), rev, commitCid: commitCid.toString(), paths: paths.sort() };
}

async function damaged(spec: RepoSpec, blocks: Block[], last: Cid | null, random: (n: number) => number) {
  let made = blocks;
  if (spec.missingBlock) made = made.filter(({ cid }) => !last?.equals(cid as never));
  if (spec.badHash)
    made = made.map((block) => (last?.equals(block.cid as never) ? { ...block, bytes: flipped(block.bytes) } : block));
  if (spec.padding) {
    const padding = new BlockMap();
    for (let left = spec.padding; left > 0; left -= PAD_BYTES)
      await padding.add({ left, pad: new Uint8Array(PAD_BYTES) });
    made = [...made, ...(padding.entries() as Block[])];
  }
  if (!spec.untidy) return made;
  const stray = new BlockMap();
  await stray.add({ nobody: "refers to this" });
  const untidy = [...made, made[0]!, made.at(-1)!, ...(stray.entries() as Block[])];
  for (let index = untidy.length - 1; index > 0; index--) {
    const other = random(index + 1);
    [untidy[index], untidy[other]] = [untidy[other]!, untidy[index]!];
  }
  return untidy;
}

/** A letter of a text becomes another one: still valid CBOR, so that only the hash reveals it. */
function flipped(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = Buffer.from(copy).indexOf("createdAt");
  copy[at] = copy[at]! ^ 1;
  return copy;
}

function put(blocks: BlockMap, bytes: Uint8Array): Cid {
  const link = Buffer.concat([Buffer.from("d82a58250001711220", "hex"), sha256(bytes)]);
  const cid = cborToLex(link) as Cid;
  blocks.set(cid, bytes);
  return cid;
}

async function* each(blocks: Block[]): AsyncGenerator<Block> {
  yield* blocks;
}

function pathOf(index: number): string {
  if (index === 0) return "app.bsky.actor.profile/self";
  return `${COLLECTIONS[index % COLLECTIONS.length]}/${tid(index)}`;
}

function recordOf({ did, seed, version }: RepoSpec, index: number, random: (below: number) => number) {
  const $type = pathOf(index).split("/")[0]!;
  const createdAt = new Date(Date.UTC(2026, 0, 1) + random(1 << 30)).toISOString();
  const subject = { uri: `at://${did}/app.bsky.feed.post/${tid(random(99))}`, cid: "bafyreiabc" };
  if ($type.endsWith("profile")) return { $type, displayName: `Nº ${seed} “${version}”`, createdAt };
  if ($type.endsWith("post")) {
    return { $type, text: `Post ${random(1_000_000)} of ${did} <b>ü🐟</b>\n`, langs: ["en"], createdAt };
  }
  return { $type, subject: $type.endsWith("like") ? subject : did, createdAt };
}

const LETTERS = "234567abcdefghijklmnopqrstuvwxyz";

/** A TID whose order is the number's. */
export function tid(number: number): string {
  let value = (1_770_000_000_000_000n + BigInt(number)) << 10n;
  let text = "";
  for (let index = 0; index < 13; index++) {
    text = LETTERS[Number(value & 31n)]! + text;
    value >>= 5n;
  }
  return text;
}

export const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();
