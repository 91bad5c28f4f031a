import assert from "node:assert/strict";
import { after, test } from "node:test";
import { contentOf } from "../rca/format/collection.ts";
import { ParsePool } from "./parse-pool.ts";
import { RepoParseError } from "./parsed-repo.ts";
import { type PrepareOptions, parseRepo } from "./prepare-repo.ts";
import { buildCar } from "./testing/build-car.ts";
import { encode } from "./testing/cbor.ts";

const DID = "did:plc:pool";
const OPTIONS: PrepareOptions = {
  did: DID,
  verify: "blocks",
  json: "seed",
  cids: true,
  pds: "https://pds.example",
  crawledAt: 5n,
  zstdLevel: 3,
};
const CAR = buildCar(
  new Map(Array.from({ length: 300 }, (_, index) => [`app.example.${index % 3}/${index}`, encode({ index })])),
  { did: DID },
);
/** Not part of Node's pool, so that it can move to a thread. */
const car = () => new Uint8Array(CAR);

const pools: ParsePool[] = [];
after(() => Promise.all(pools.map((pool) => pool.close())));
function newPool(options: { inThreadBytes?: number; threads?: number; thread?: URL }): ParsePool {
  const pool = new ParsePool({ random: () => 0.5, ...options });
  pools.push(pool);
  return pool;
}

/** A thread that does as the DID says. */
const thread = (source: string) => new URL(`data:text/javascript,${encodeURIComponent(source)}`);
const ODD_THREAD = thread(`
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", ({ options: { did } }) => {
    if (did === "exit") process.exit(3);
    if (did === "throw") throw new TypeError("out of its depth");
    if (did !== "wait") parentPort.postMessage({ repo: { did } });
  });
`);

test("a thread makes the same of a repo as this one, ready for a segment", async () => {
  const here = await newPool({ inThreadBytes: Number.POSITIVE_INFINITY }).prepare(car(), OPTIONS);
  const given = car();
  const there = await newPool({ inThreadBytes: 0 }).prepare(given, OPTIONS);
  assert.equal(given.length, 0, "the CAR moved");
  assert.deepEqual(there, { ...here, commit: new Uint8Array(here.commit), signature: new Uint8Array(here.signature) });
  const parsed = parseRepo(CAR, OPTIONS, () => 0.1);
  assert.deepEqual(
    there.block.collections.map(({ name, frame, recordCount }) => ({
      name,
      recordCount,
      bytes: contentOf({ name, frame, recordCount }).toString("hex"),
    })),
    parsed.collections.map(({ name, recordCount, bytes }) => ({
      name,
      recordCount,
      bytes: Buffer.from(bytes).toString("hex"),
    })),
  );
  assert.equal(there.proof!.collections.length, 4);
  assert.equal(there.carBytes, CAR.length);
});

test("a CAR inside a larger buffer is copied, and the buffer stays", async () => {
  const larger = Buffer.concat([Buffer.of(1), CAR, Buffer.of(2)]);
  const repo = await newPool({ inThreadBytes: 0 }).prepare(larger.subarray(1, -1), OPTIONS);
  assert.equal(repo.recordCount, 300);
  assert.equal(larger.at(-1), 2);
});

test("what is wrong with a repo is reported with its class, from either side", async () => {
  for (const inThreadBytes of [0, Number.POSITIVE_INFINITY]) {
    const pool = newPool({ inThreadBytes });
    await assert.rejects(
      pool.prepare(car().slice(0, -1), OPTIONS),
      (error) => error instanceof RepoParseError && error.class === "invalid_car" && /cut off/.test(error.message),
    );
    await assert.rejects(
      pool.prepare(car(), { ...OPTIONS, did: "did:plc:other" }),
      (error) => error instanceof RepoParseError && error.class === "parse_error",
    );
  }
});

test("more repos than threads are all served", async () => {
  const pool = newPool({ inThreadBytes: 0, threads: 2 });
  const repos = await Promise.all(Array.from({ length: 12 }, () => pool.prepare(car(), OPTIONS)));
  assert.deepEqual(new Set(repos.map(({ recordCount }) => recordCount)), new Set([300]));
});

test("a thread that ends costs its own repo, and no other", async () => {
  for (const way of ["exit", "throw"]) {
    const pool = newPool({ inThreadBytes: 0, threads: 1, thread: ODD_THREAD });
    const lost = pool.prepare(car(), { ...OPTIONS, did: way });
    const next = pool.prepare(car(), { ...OPTIONS, did: "next" });
    await assert.rejects(lost, (error) => error instanceof RepoParseError && error.class === "parse_error");
    assert.equal((await next).did, "next");
  }
});

test("what is given up is rejected at once, waiting or under way", async () => {
  const pool = newPool({ inThreadBytes: 0, threads: 1, thread: ODD_THREAD });
  const controller = new AbortController();
  const running = pool.prepare(car(), { ...OPTIONS, did: "wait" }, controller.signal);
  const waiting = pool.prepare(car(), { ...OPTIONS, did: "next" }, controller.signal);
  controller.abort(new Error("enough"));
  await assert.rejects(running, /enough/);
  await assert.rejects(waiting, /enough/);
  await assert.rejects(pool.prepare(car(), OPTIONS, controller.signal), /enough/);
});

test("while too much is waiting, nothing is accepted", async () => {
  const pool = newPool({ inThreadBytes: 0, threads: 1, thread: ODD_THREAD });
  await pool.room();
  const controller = new AbortController();
  const first = pool.prepare(car(), { ...OPTIONS, did: "wait" });
  const large = pool.prepare(new Uint8Array(65 * 2 ** 20), { ...OPTIONS, did: "next" }, controller.signal);
  let room = false;
  const asked = pool.room().then(() => (room = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(room, false);
  controller.abort();
  await assert.rejects(large);
  await asked;
  const ended = assert.rejects(first, /closed/);
  await pool.close();
  await ended;
});

test("closing rejects what is left, and nothing is accepted after", async () => {
  const pool = newPool({ inThreadBytes: 0, threads: 1, thread: ODD_THREAD });
  const left = ["wait", "next"].map((did) => assert.rejects(pool.prepare(car(), { ...OPTIONS, did }), /closed/));
  await pool.close();
  await Promise.all(left);
  await assert.rejects(pool.prepare(car(), OPTIONS), /closed/);
});
