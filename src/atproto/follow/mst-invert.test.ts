/** Undoing the operations of commits that the reference implementation made, with the nodes that it sends along. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Secp256k1Keypair } from "@atproto/crypto";
import { blocksToCarFile, MemoryBlockstore, type RecordWriteOp, Repo, WriteOpAction } from "@atproto/repo";
import { seededRandom } from "../../kernel/testing/random.ts";
import { BlockIndex } from "../repo/block-index.ts";
import { CborReader } from "../repo/cbor-reader.ts";
import { readCommit } from "../repo/commit.ts";
import { NodeMissing, PartialTree } from "./mst-invert.ts";

const DIGEST_BYTES = 32;
const collection = "app.bsky.feed.post";
type Ops = Map<string, "create" | "update" | "delete">;

/** A commit with the tree before it. */
async function* commits(seed: number, many: number) {
  const next = seededRandom(seed);
  const random = (below: number): number => Math.floor(next() * below);
  const key = await Secp256k1Keypair.create();
  let repo = await Repo.create(new MemoryBlockstore(), "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", key as never);
  const present = new Set<string>();
  let count = 0;
  for (let round = 0; round < many; round++) {
    const ops: Ops = new Map();
    for (let left = 1 + random(round % 3 === 0 ? 12 : 2); left > 0; left--) {
      const known = [...present].filter((rkey) => !ops.has(rkey));
      const chosen = known[random(known.length + 1)];
      if (chosen === undefined || random(3) === 0) ops.set(`r${(count++ * 7919) % 10007}`, "create");
      else ops.set(chosen, random(3) === 0 ? "update" : "delete");
    }
    const writes = [...ops].map(([rkey, action]): RecordWriteOp => {
      const record = { $type: collection, round };
      if (action === "create") return { action: WriteOpAction.Create, collection, rkey, record };
      if (action === "update") return { action: WriteOpAction.Update, collection, rkey, record };
      return { action: WriteOpAction.Delete, collection, rkey };
    });
    for (const [rkey, action] of ops) action === "delete" ? present.delete(rkey) : present.add(rkey);
    const before = repo;
    const formatted = await repo.formatCommit(writes, key as never);
    repo = await repo.applyCommit(formatted);
    yield { ops, before, formatted, car: Buffer.from(await blocksToCarFile(formatted.cid, formatted.relevantBlocks)) };
  }
}

function treeOf(car: Buffer): PartialTree {
  const index = new BlockIndex(car, { verify: true, random: Math.random });
  const reader = new CborReader(car);
  const root = index.find(index.rootDigest);
  return new PartialTree(reader, index, readCommit(reader, index.start(root), index.end(root)).dataDigest);
}

async function undo(tree: PartialTree, ops: Iterable<[rkey: string, action: string]>, before: Repo): Promise<void> {
  for (const [rkey, action] of ops) {
    const path = `${collection}/${rkey}`;
    const prev = (await before.data.get(path))?.bytes;
    if (action === "create") tree.remove(Buffer.from(path));
    else if (action === "update") tree.replace(Buffer.from(path), prev!);
    else tree.insert(Buffer.from(path), prev!);
  }
}

test("undoing the operations of a commit leads to the tree before it, in whichever order", async () => {
  let whole = 0;
  // Many small repos: their roots are raised and lowered.
  for (let seed = 0; seed < 60; seed++) {
    for await (const { ops, before, car } of commits(seed, seed < 3 ? 100 : 4)) {
      for (const order of [[...ops], [...ops].reverse(), [...ops].sort(([, a], [, b]) => (a < b ? 1 : -1))]) {
        const tree = treeOf(car);
        await undo(tree, order, before);
        assert.ok(
          tree.digest().equals(before.commit.data.bytes.subarray(-DIGEST_BYTES)),
          `${seed}: ${order.join(" ")}`,
        );
        whole++;
      }
    }
  }
  assert.equal(whole, 3 * (3 * 100 + 57 * 4));
});

test("with an operation left out the tree is another one", async () => {
  for await (const { ops, before, car } of commits(4, 60)) {
    const [left, ...rest] = [...ops];
    const tree = treeOf(car);
    try {
      await undo(tree, rest, before);
    } catch (error) {
      assert.ok(error instanceof NodeMissing);
      continue;
    }
    assert.ok(!tree.digest().equals(before.commit.data.bytes.subarray(-DIGEST_BYTES)), `without ${left}`);
  }
});
