/** The contenders that turn a CAR into records and JSON, each used as documented and in its fastest way. */
import { hash } from "node:crypto";
import type { Verify } from "../../src/atproto/repo/parsed-repo.ts";
import { BENCH_DID } from "./did.ts";

export interface Read {
  records: number;
  /** Bytes of JSON, or of frames if compressed. */
  bytes: number;
}

type Reader = (car: Uint8Array, signingKey: string) => Read | Promise<Read>;

export interface ReadingContender {
  what: string;
  /** More than one unless it takes minutes: in a long crawl, later passes are faster than the first. */
  passes: number;
  /** Reads a repo of a tenth of the size, because the full one would take many minutes. */
  tenth?: boolean;
  /** Loads only its own modules, so that memory is not counted for the wrong contender. */
  load(): Promise<Reader>;
}

const JOB = { did: BENCH_DID, json: "seed", cids: false } as const;

const trawl = (verify: Verify) => async (): Promise<Reader> => {
  const { parseRepo } = await import("../../src/atproto/repo/prepare-repo.ts");
  return (car, signingKey) => {
    const repo = parseRepo(car, { ...JOB, verify, signingKey }, Math.random);
    return { records: repo.recordCount, bytes: repo.collections.reduce((sum, { bytes }) => sum + bytes.length, 0) };
  };
};

const atcute = async (): Promise<Reader> => {
  const { fromUint8Array } = await import("@atcute/repo");
  return (car) => {
    const read = { records: 0, bytes: 0 };
    for (const { record } of fromUint8Array(car)) {
      read.records++;
      read.bytes += JSON.stringify(record).length;
    }
    return read;
  };
};

export const CONTENDERS: Record<string, ReadingContender> = {
  "trawl-none": { what: "Trawl, nothing verified", passes: 10, load: trawl("none") },
  "trawl-blocks": { what: "Trawl, every hash verified", passes: 10, load: trawl("blocks") },
  "trawl-full": { what: "Trawl, and the signature", passes: 10, load: trawl("full") },
  "trawl-segment": {
    what: "Trawl, every hash, and zstd 3 for a segment",
    passes: 3,
    load: async () => {
      const { prepareRepo } = await import("../../src/atproto/repo/prepare-repo.ts");
      const job = { ...JOB, verify: "blocks", pds: "https://pds.example", crawledAt: 0n, zstdLevel: 3 } as const;
      return (car) => {
        const { recordCount, block } = prepareRepo(car, job, Math.random);
        return { records: recordCount, bytes: block.collections.reduce((sum, { frame }) => sum + frame.length, 0) };
      };
    },
  },
  atcute: { what: "@atcute/repo, nothing verified", passes: 5, load: atcute },
  "atcute-blocks": {
    // It has no option for this, so the hashes of all blocks are compared with their CIDs first.
    what: "@atcute/repo, every hash verified",
    passes: 5,
    load: async () => {
      const [{ fromUint8Array }, read] = [await import("@atcute/car"), await atcute()];
      return (car, signingKey) => {
        for (const { cid, bytes } of fromUint8Array(car)) {
          if (Buffer.compare(hash("sha256", bytes, "buffer"), cid.digest.contents) !== 0) throw new Error("wrong hash");
        }
        return read(car, signingKey);
      };
    },
  },
  atproto: {
    what: "@atproto/repo, every hash verified",
    passes: 1,
    tenth: true,
    load: async () => {
      const { MemoryBlockstore, Repo, readCarWithRoot } = await import("@atproto/repo");
      return async (car) => {
        const { root, blocks } = await readCarWithRoot(car);
        const repo = await Repo.load(new MemoryBlockstore(blocks), root);
        const read = { records: 0, bytes: 0 };
        for await (const { record } of repo.walkRecords()) {
          read.records++;
          read.bytes += JSON.stringify(record).length;
        }
        return read;
      };
    },
  },
};
