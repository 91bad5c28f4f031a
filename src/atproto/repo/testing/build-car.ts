/** Builds complete repos as CARs for tests and benchmarks: blocks, tree, commit and signature, much faster than the reference. */
import { generateKeyPairSync, hash, type KeyObject, sign } from "node:crypto";
import { array, bytes, link, map, NULL, text, unsigned } from "./cbor.ts";

export interface Keys {
  privateKey: KeyObject;
  /** As in a DID document. */
  didKey: string;
}

export interface CarOptions {
  did: string;
  rev?: string;
  version?: 2 | 3;
  keys?: Keys;
  /** In what order blocks are written, and whether some come twice or belong to nothing. */
  arrange?: (blocks: Block[]) => Block[];
}

export interface Block {
  cid: Buffer;
  data: Buffer;
  /** The largest rkey that it holds or leads to. With TIDs: when a PDS wrote it. */
  newest: string;
}

interface Leaf {
  key: Buffer;
  rkey: string;
  record: Buffer;
  layer: number;
}

/** Stores a block and returns its CID; `under` are the leaves that it contains or leads to. */
type Put = (data: Buffer, under: readonly Leaf[]) => Buffer;

const N = {
  secp256k1: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  prime256v1: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
};
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

export function blockOf(data: Buffer, newest = ""): Block {
  return {
    newest,
    cid: Buffer.concat([Buffer.from([1, 0x71, 0x12, 0x20]), Buffer.from(hash("sha256", data, "binary"), "latin1")]),
    data,
  };
}

/** Records by key, `collection/rkey`, each as DAG-CBOR. */
export function buildCar(records: ReadonlyMap<string, Buffer>, options: CarOptions): Buffer {
  const blocks: Block[] = [];
  const put: Put = (data, under) => {
    const block = blockOf(
      data,
      under.reduce((newest, { rkey }) => (rkey > newest ? rkey : newest), ""),
    );
    blocks.push(block);
    return block.cid;
  };
  const leaves = [...records]
    .map(
      ([key, record]): Leaf => ({
        key: Buffer.from(key),
        rkey: key.slice(key.indexOf("/") + 1),
        record,
        layer: layerOf(key),
      }),
    )
    .sort((one, other) => Buffer.compare(one.key, other.key));
  const top = leaves.reduce((highest, { layer }) => Math.max(highest, layer), 0);
  const data = node(leaves, top, put);
  const root = blockOf(commitOf(data, options), "~");
  return writeCar(root.cid, (options.arrange ?? ((all) => all))([root, ...blocks]));
}

export function writeCar(root: Buffer, blocks: readonly Block[]): Buffer {
  const header = map([
    ["roots", array([link(root)])],
    ["version", unsigned(1)],
  ]);
  const parts = [varint(header.length), header];
  for (const { cid, data } of blocks) parts.push(varint(cid.length + data.length), cid, data);
  return Buffer.concat(parts);
}

/** Leading zero bits of the key's hash, in pairs. */
function layerOf(key: string): number {
  const digest = Buffer.from(hash("sha256", key, "binary"), "latin1");
  const byte = digest.findIndex((value) => value !== 0);
  return Math.floor((byte * 8 + Math.clz32(digest[byte]!) - 24) / 2);
}

function node(leaves: readonly Leaf[], layer: number, put: Put): Buffer {
  const below = (from: number, to: number) => (from === to ? NULL : link(node(leaves.slice(from, to), layer - 1, put)));
  const own = leaves.flatMap((leaf, at) => (leaf.layer === layer ? [at] : []));
  const left = below(0, own[0] ?? leaves.length);
  let before: Buffer = Buffer.alloc(0);
  const entries = own.map((at, index) => {
    const leaf = leaves[at]!;
    let shared = 0;
    while (shared < Math.min(leaf.key.length, before.length) && leaf.key[shared] === before[shared]) shared++;
    before = leaf.key;
    return map([
      ["k", bytes(leaf.key.subarray(shared))],
      ["p", unsigned(shared)],
      ["t", below(at + 1, own[index + 1] ?? leaves.length)],
      ["v", link(put(leaf.record, [leaf]))],
    ]);
  });
  return put(
    map([
      ["e", array(entries)],
      ["l", left],
    ]),
    leaves,
  );
}

function commitOf(data: Buffer, options: CarOptions): Buffer {
  const fields: [string, Buffer][] = [
    ["did", text(options.did)],
    ["rev", text(options.rev ?? "3lprcc55bb222")],
    ["data", link(data)],
    ["prev", NULL],
    ["version", unsigned(options.version ?? 3)],
  ];
  const signature = options.keys ? signLowS(map(fields), options.keys.privateKey) : Buffer.alloc(64, 1);
  fields.splice(2, 0, ["sig", bytes(signature)]);
  return map(fields);
}

export function makeKeys(curve: "secp256k1" | "prime256v1"): Keys {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: curve });
  const { x, y } = publicKey.export({ format: "jwk" });
  const odd = Buffer.from(y!, "base64url").at(-1)! & 1;
  const codec = curve === "secp256k1" ? [0xe7, 0x01] : [0x80, 0x24];
  const key = Buffer.concat([Buffer.from([...codec, 2 + odd]), Buffer.from(x!, "base64url")]);
  return { privateKey, didKey: didKeyOf(key) };
}

/** Codec and point. */
export function didKeyOf(key: Buffer): string {
  return `did:key:z${base58(key)}`;
}

export function signLowS(data: Buffer, privateKey: KeyObject): Buffer {
  const signature = sign("sha256", data, { key: privateKey, dsaEncoding: "ieee-p1363" });
  return isHighS(signature, privateKey) ? flipS(signature, privateKey) : signature;
}

/** The other valid signature for the same data. */
export function flipS(signature: Buffer, privateKey: KeyObject): Buffer {
  const order = N[privateKey.asymmetricKeyDetails!.namedCurve as keyof typeof N];
  const s = order - BigInt(`0x${signature.subarray(32).toString("hex")}`);
  return Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")]);
}

function isHighS(signature: Buffer, privateKey: KeyObject): boolean {
  const order = N[privateKey.asymmetricKeyDetails!.namedCurve as keyof typeof N];
  return BigInt(`0x${signature.subarray(32).toString("hex")}`) > order / 2n;
}

function base58(input: Buffer): string {
  let value = BigInt(`0x${input.toString("hex")}`);
  let out = "";
  for (; value > 0n; value /= 58n) out = BASE58[Number(value % 58n)] + out;
  return out;
}

export function varint(value: number): Buffer {
  const out: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) out.push((value & 127) | 128);
  return Buffer.from([...out, value]);
}
