/**
 * PDS servers on many addresses of the loopback network, in a separate process so that their work is not counted.
 * `node bench/atproto/pds-servers.ts HOSTS REPOS RECORDS FILE` writes FILE for `--source dids:FILE`, prints a line of
 * JSON when it is ready, and exits when its input ends.
 */
import { hash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { didOf } from "../../src/atproto/testing/fake-pds.ts";
import { BENCH_DID } from "./did.ts";
import { generateRepo } from "./generate.ts";

/** What is printed once the servers listen. */
export interface Serving {
  carBytes: number;
  records: number;
}

/** The beginning of every CID here: version 1, DAG-CBOR, SHA-256 of 32 bytes. */
const CID_START = Buffer.from([0x01, 0x71, 0x12, 0x20]);
const CID_BYTES = 36;

const [hosts = 1, repos = 1, records = 1] = process.argv.slice(2).map(Number);
const { car } = generateRepo(records);

const server = () =>
  createServer((request, response) => {
    const did = new URL(request.url!, "http://pds").searchParams.get("did")!;
    // In chunks without a Content-Length, as a PDS streams it.
    const headers = { "content-type": "application/vnd.ipld.car", "transfer-encoding": "chunked" };
    response.writeHead(200, headers).end(carOf(did));
  });

const origins: string[] = [];
for (let number = 0; number < hosts; number++) {
  const listening = server().listen(0, `127.0.${1 + Math.floor(number / 250)}.${1 + (number % 250)}`);
  await once(listening, "listening");
  const { address, port } = listening.address() as AddressInfo;
  origins.push(`http://${address}:${port}`);
}
const lines = Array.from({ length: repos }, (_, number) => `${didOf(number)}\t${origins[number % hosts]}\n`);
writeFileSync(process.argv[5]!, lines.join(""));
console.log(JSON.stringify({ carBytes: car.length * repos, records: records * repos } satisfies Serving));
process.stdin.resume().on("end", () => process.exit());

/**
 * The same records under another DID: only the commit, which a PDS sends first, and its CID change. Its signature is then
 * invalid, but `--verify blocks` checks only hashes. Building each repo would take a hundred times as long as crawling it.
 */
function carOf(did: string): Buffer {
  const copy = Buffer.from(car);
  const inHeader = copy.indexOf(CID_START);
  const inSection = copy.indexOf(CID_START, inHeader + CID_BYTES);
  const start = inSection + CID_BYTES;
  copy.write(did, copy.indexOf(BENCH_DID, start));
  const digest = hash("sha256", copy.subarray(start, start + commitBytes(copy, inHeader, inSection)), "buffer");
  for (const at of [inHeader, inSection]) digest.copy(copy, at + CID_START.length);
  return copy;
}

/** The length of a section includes its CID; that of a commit takes two bytes, because it is over 127. */
function commitBytes(bytes: Buffer, inHeader: number, inSection: number): number {
  const at = inSection - 2;
  if (at <= inHeader) throw new Error("The commit is not the first block.");
  return (bytes[at]! & 127) + bytes[at + 1]! * 128 - CID_BYTES;
}
