import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BlockIndex } from "./block-index.ts";
import { CborReader } from "./cbor-reader.ts";
import { MstWalk } from "./mst-walk.ts";
import { DEEPEST_TREE, LONGEST_KEY_BYTES, RepoParseError } from "./parsed-repo.ts";
import { type Block, blockOf, writeCar } from "./testing/build-car.ts";
import { array, bytes, link, map, NULL, text, unsigned } from "./testing/cbor.ts";

const RECORD = blockOf(map([]));

interface Entry {
  shared: number;
  suffix: string;
  tree?: Block;
  value?: Block;
}

function node(entries: readonly Entry[], left?: Block): Block {
  const items = entries.map(({ shared, suffix, tree, value = RECORD }) =>
    map([
      ["k", bytes(Buffer.from(suffix))],
      ["p", unsigned(shared)],
      ["t", tree ? link(tree.cid) : NULL],
      ["v", link(value.cid)],
    ]),
  );
  return blockOf(
    map([
      ["e", array(items)],
      ["l", left ? link(left.cid) : NULL],
    ]),
  );
}

/** The keys of the tree, with what each shares with the one before. */
function walk(root: Block, others: readonly Block[] = []): [string, number][] {
  // The root's link stands in a block of its own, as in a commit.
  const car = writeCar(root.cid, [blockOf(link(root.cid)), root, RECORD, ...others]);
  const index = new BlockIndex(car, { verify: false, random: () => 0.3 });
  const keys: [string, number][] = [];
  const visit = (key: Uint8Array, length: number, shared: number) => {
    keys.push([Buffer.from(key.subarray(0, length)).toString(), shared]);
  };
  new MstWalk(new CborReader(car), index, { visit }).walk(index.rootDigest);
  return keys;
}

function reason(root: Block, others: readonly Block[] = []): string {
  try {
    walk(root, others);
  } catch (error) {
    assert.ok(error instanceof RepoParseError, String(error));
    assert.equal(error.class, "parse_error");
    return error.message;
  }
  return assert.fail("it was accepted");
}

const leaf = (...keys: string[]): Block => node(keys.map((suffix) => ({ shared: 0, suffix })));

test("an empty tree has no keys", () => {
  assert.deepEqual(walk(node([])), []);
});

test("keys come in order from all layers, put together from what they share", () => {
  const left = leaf("c/a1", "c/a2");
  const middle = leaf("c/b15", "c/b16");
  const right = leaf("c/d");
  const root = node(
    [
      { shared: 0, suffix: "c/b1", tree: middle },
      { shared: 3, suffix: "2", tree: right },
    ],
    left,
  );
  assert.deepEqual(walk(root, [left, middle, right]), [
    ["c/a1", 0],
    ["c/a2", 3],
    ["c/b1", 2],
    ["c/b15", 4],
    ["c/b16", 4],
    ["c/b2", 3],
    ["c/d", 2],
  ]);
});

test("a layer without keys of its own is a chain", () => {
  const deepest = leaf("c/a");
  const between = node([], deepest);
  assert.deepEqual(walk(node([], between), [deepest, between]), [["c/a", 0]]);
});

test("keys that are not in strict order are refused, also those that only the prefix hides", () => {
  assert.match(reason(leaf("c/b", "c/a")), /order/);
  assert.match(reason(leaf("c/a", "c/a")), /order/);
  assert.match(reason(leaf("c/ab", "c/a")), /order/);
  assert.match(reason(leaf("")), /order/);
  const big = leaf("c/z");
  assert.match(reason(node([{ shared: 0, suffix: "c/b" }], big), [big]), /order/);
  // The subtree leaves c/b: the next key, c/bz, is less than c/d, though it looks like c/dz to one who has forgotten.
  const leaving = leaf("c/d");
  const hidden = node([
    { shared: 0, suffix: "c/b", tree: leaving },
    { shared: 3, suffix: "z" },
  ]);
  assert.match(reason(hidden, [leaving]), /order/);
  assert.match(reason(node([{ shared: 1, suffix: "a" }])), /order/);
  assert.match(
    reason(
      node([
        { shared: 0, suffix: "c/a" },
        { shared: 4, suffix: "b" },
      ]),
    ),
    /order/,
  );
});

test("a node that comes twice is refused, be it a loop or an attempt to multiply", () => {
  const empty = node([]);
  const twice = node([
    { shared: 0, suffix: "c/a", tree: empty },
    { shared: 2, suffix: "b", tree: empty },
  ]);
  assert.match(reason(twice, [empty]), /twice/);
  const loop: Block = { ...empty, data: Buffer.alloc(0) };
  loop.data = node([], loop).data;
  assert.match(reason(loop), /twice/);
});

test("depth and keys have limits", () => {
  const chain = [leaf("c/a")];
  while (chain.length < DEEPEST_TREE) chain.push(node([], chain.at(-1)));
  assert.equal(walk(chain.at(-1)!, chain).length, 1);
  chain.push(node([], chain.at(-1)));
  assert.match(reason(chain.at(-1)!, chain), /deeper/);
  assert.equal(walk(leaf("k".repeat(LONGEST_KEY_BYTES))).length, 1);
  assert.match(reason(leaf("k".repeat(LONGEST_KEY_BYTES + 1))), /longer/);
  assert.match(
    reason(
      node([
        { shared: 0, suffix: "a" },
        { shared: 1, suffix: "k".repeat(LONGEST_KEY_BYTES) },
      ]),
    ),
    /longer/,
  );
});

test("blocks that are missing are named", () => {
  const absent = leaf("c/b");
  assert.match(reason(node([{ shared: 0, suffix: "c/a", tree: absent }])), /a node, bafyrei/);
  assert.match(reason(node([], absent)), /a node, bafyrei/);
  assert.match(reason(node([{ shared: 0, suffix: "c/a", value: absent }])), /a record, bafyrei/);
});

test("anything but a node is refused", () => {
  const entries: [string, Buffer] = ["e", array([])];
  const link0: [string, Buffer] = ["l", NULL];
  const entry = (...fields: [string, Buffer][]) => map([["e", array([map(fields)])], link0]);
  const wrong: [Buffer, RegExp][] = [
    [text("node"), /wrong type/],
    [map([entries]), /two fields/],
    [map([entries, entries]), /fields of a node/],
    [map([entries, link0, link0]), /two fields/],
    [map([link0, entries]), /fields of a node/],
    [map([entries, ["x", NULL]]), /fields of a node/],
    [map([["e", NULL], link0]), /wrong type/],
    [map([entries, ["l", text("x")]]), /not a link/],
    [Buffer.concat([map([entries, link0]), NULL]), /after its end/],
    [entry(["k", bytes(Buffer.from("a"))]), /four fields/],
    [entry(["k", bytes(Buffer.from("a"))], ["p", NULL], ["t", NULL], ["v", link(RECORD.cid)]), /wrong type/],
    [entry(["k", bytes(Buffer.from("a"))], ["p", unsigned(2n ** 40n)], ["t", NULL], ["v", link(RECORD.cid)]), /beyond/],
    [entry(["k", bytes(Buffer.from("a"))], ["p", unsigned(0)], ["t", NULL], ["t", NULL]), /fields of a node/],
    [entry(["k", bytes(Buffer.from("a"))], ["p", unsigned(0)], ["t", NULL], ["v", NULL]), /not a link/],
  ];
  for (const [data, expected] of wrong) assert.match(reason(blockOf(data)), expected, data.toString("hex"));
});

test("any shape of tree over sorted keys gives those keys", () => {
  interface Shape {
    entries: { key: string; below: string[] }[];
    left: string[];
  }
  const cut = (keys: string[], takes: number[]): Shape => {
    const shape: Shape = { entries: [], left: [] };
    for (const [index, key] of keys.entries()) {
      if (takes[index % takes.length]! % 3 === 0) shape.entries.push({ key, below: [] });
      else (shape.entries.at(-1)?.below ?? shape.left).push(key);
    }
    return shape;
  };
  const keys = fc.uniqueArray(fc.stringMatching(/^[a-c./]{1,6}$/), { maxLength: 30 });
  fc.assert(
    fc.property(keys, fc.array(fc.nat(5), { minLength: 1 }), fc.nat(4), (unsorted, takes, lazy) => {
      const sorted = unsorted.toSorted();
      const { entries, left } = cut(sorted, takes);
      const others: Block[] = [];
      const subtree = (below: string[]): Block | undefined => {
        if (below.length === 0) return undefined;
        others.push(leaf(...below));
        return others.at(-1);
      };
      let before = "";
      const root = node(
        entries.map(({ key, below }) => {
          let shared = 0;
          // Not all that is shared must be used.
          while (shared + lazy < key.length && key[shared] === before[shared]) shared++;
          before = key;
          return { shared, suffix: key.slice(shared), tree: subtree(below) };
        }),
        subtree(left),
      );
      assert.deepEqual(
        walk(root, others).map(([key]) => key),
        sorted,
      );
    }),
  );
});
