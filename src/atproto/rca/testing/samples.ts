/** Sample repos for the tests of this folder, and an encoder of the format that shares no code with ours. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { crc32, zstdDecompressSync } from "node:zlib";
import type { RepoBlock } from "../format/block.ts";
import type { Damage } from "../format/bytes.ts";
import { compressCollections, encodeRecords } from "../format/collection.ts";
import { RepoArchive } from "../read/archive.ts";
import { SegmentWriter, type SegmentWriterOptions } from "../write/segment-writer.ts";

export async function temporaryFolder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "trawl-rca-"));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

/** Records by collection and rkey. */
export type Records = Record<string, Record<string, unknown>>;

export const sampleDid = (number: number): string => `did:plc:${String(number).padStart(24, "a")}`;

export function sampleRepo(did: string, records: Records = {}, changes: Partial<RepoBlock> = {}): RepoBlock {
  const contents = Object.entries(records).map(([name, byRkey]) => ({
    name,
    recordCount: Object.keys(byRkey).length,
    bytes: encodeRecords(
      Object.entries(byRkey).map(([rkey, value]) => ({ rkey, value: Buffer.from(JSON.stringify(value)) })),
    ),
  }));
  return {
    did,
    pds: "https://pds.example",
    rev: "3kabc",
    crawledAt: 1_700_000_000_000_000n,
    collections: compressCollections(contents, 3),
    ...changes,
  };
}

export const posts = (count: number): Records => ({
  "app.bsky.feed.post": Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`3k${String(index).padStart(5, "0")}`, { text: `post ${index}` }]),
  ),
});

export const sampleWriter = (folder: string, changes: Partial<SegmentWriterOptions> = {}): SegmentWriter =>
  new SegmentWriter({ folder, targetBytes: 2 ** 31, proofs: false, now: () => 1_700_000_000_000, ...changes });

/** A finished segment with these repos. */
export async function writeSegment(folder: string, repos: readonly RepoBlock[]): Promise<string> {
  const writer = sampleWriter(folder);
  const written = await Promise.all(repos.map((repo) => writer.append(repo)));
  await writer.close();
  return written[0]!.path;
}

export function collectDamage(): { damage: Damage[]; onDamage: (damage: Damage) => void } {
  const damage: Damage[] = [];
  return { damage, onDamage: (found) => damage.push(found) };
}

/** For archives that must be intact. */
export const noDamage = ({ path, offset, reason }: Damage): never => assert.fail(`${path} at ${offset}: ${reason}`);

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const u16 = (value: number): number[] => [value & 255, value >> 8];
const u32 = (value: number): number[] => [value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24];
const i64 = (value: bigint): number[] => Array.from({ length: 8 }, (_, at) => Number((value >> BigInt(8 * at)) & 255n));
const text = (value: string): number[] => [...u16(Buffer.byteLength(value)), ...Buffer.from(value)];

/** The format as docs/rca.md describes it; the collections must be sorted. */
export function byHandBlock({ did, pds, rev, crawledAt, collections }: RepoBlock): number[] {
  const body = [
    ...collections.flatMap(({ name, recordCount, frame }) => [
      ...text(name),
      ...u32(recordCount),
      ...u32(frame.length),
    ]),
    ...collections.flatMap(({ frame }) => [...frame]),
  ];
  const head = [...text(did), ...text(pds), ...text(rev), ...i64(crawledAt), ...u16(collections.length)];
  const size = 4 + head.length + 4 + body.length;
  return [...u32(size), ...head, ...u32(crc32(Buffer.from(body))), ...body];
}

/** Repos in the order of writing; they must differ in their DIDs. */
export function byHandSegment(repos: readonly RepoBlock[], createdAt: bigint): Buffer {
  const magic = [...Buffer.from("REPOARCH")];
  const blocks: number[] = [];
  const entries: { did: string; bytes: number[] }[] = [];
  for (const repo of repos) {
    const block = byHandBlock(repo);
    const place = [...i64(BigInt(64 + blocks.length)), ...u32(block.length), ...u32(crc32(Buffer.from(block)))];
    entries.push({ did: repo.did, bytes: [...text(repo.did), ...place] });
    blocks.push(...block);
  }
  entries.sort((a, b) => Buffer.compare(Buffer.from(a.did), Buffer.from(b.did)));
  const index = [...u32(repos.length), ...entries.flatMap(({ bytes }) => bytes)];
  const indexOffset = i64(BigInt(64 + blocks.length));
  const header = [...magic, ...u16(1), ...u16(0), ...i64(createdAt), ...u32(repos.length), ...indexOffset];
  const footer = [...indexOffset, ...u32(index.length), ...u32(repos.length), ...u32(crc32(Buffer.from(index)))];
  return Buffer.from([
    ...header,
    ...new Array(32).fill(0),
    ...blocks,
    ...index,
    ...footer,
    ...new Array(4).fill(0),
    ...magic,
  ]);
}

/** The records of a repo as text, to compare with what was written. */
export const recordsText = (repo: RepoBlock): [string, string][] =>
  repo.collections.map(({ name, frame }) => [name, zstdDecompressSync(frame).toString("latin1")]);

/** Every DID once, in order; from the indexes alone if there are any. */
export async function* completedDids(folder: string, onDamage: (damage: Damage) => void): AsyncGenerator<string> {
  await using archive = await RepoArchive.open(folder, onDamage);
  for await (const [place] of archive.places()) yield place!.entry.did;
}
