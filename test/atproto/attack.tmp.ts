/** By hand: attacks on a network, looked at through the command line only. */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { P256Keypair, Secp256k1Keypair } from "@atproto/crypto";
import { recordsOf, contentOf, compressCollections, encodeRecords } from "../../src/atproto/rca/format/collection.ts";
import { SegmentReader } from "../../src/atproto/rca/read/segment-reader.ts";
import { sampleWriter, noDamage } from "../../src/atproto/rca/testing/samples.ts";
import { buildCar } from "../../src/atproto/repo/testing/build-car.ts";
import { encode } from "../../src/atproto/repo/testing/cbor.ts";
import { decodeBase58, encodeBase58 } from "../../src/atproto/repo/multibase.ts";
import { makeCertificate } from "../../src/net/testing/certificate.ts";
import { repoOf } from "../servers/at-network/accounts.ts";
import { AT_NAMES, atNetwork } from "../servers/at-network.ts";

const root = mkdtempSync(join(tmpdir(), "attack-"));
const cert = await makeCertificate(...AT_NAMES);
const network = await atNetwork({ certificate: cert, accounts: [9, 5], webDids: 2, tombstones: 0 });
const ca = join(root, "ca.pem");
writeFileSync(ca, network.reach.ca!);
const run = (label: string, ...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ["bin/trawl.js", "atproto", ...args], {
      env: { ...process.env, TRAWL_HOME: join(root, "home"), NO_COLOR: "1", COLUMNS: "100" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    child.stdout.on("data", (d) => (text += d));
    child.stderr.on("data", (d) => (text += d));
    child.on("close", (code) => {
      console.log(`\n### ${label}\n$ trawl atproto ${args.filter((a) => !a.includes(":443:") && a !== "--connect-to").join(" ")}\n${text}[exit ${code}]`);
      resolve(text);
    });
  });
const reach = [...network.connectFlags(), "--ca", ca, "--plc-url", network.plc.url, "--plc-rps", "1000"];
const crawl = (label: string, folder: string, sources: string[], ...more: string[]) =>
  run(label, "crawl", ...sources.flatMap((s) => ["--source", s]), "--output-dir", folder, ...reach, ...more);
const [home, forger] = [network.pds.get("pds-0.atp.example")!, network.pds.get("pds-1.atp.example")!];
const [, victim, moved, rotated, old1, old2, nokey, ones, tampered] = home.accounts as any[];

// 1. forged, newer, and by the fastest host: its real one takes 3 s for each repo.
const fake = { ...victim, key: await Secp256k1Keypair.create({ exportable: true }), version: 9 };
fake.repo = await repoOf(fake, 4, 77);
forger.accounts.push(fake);
home.conduct.delayMs = 300;
// 2. moved: the old host still lists it, and answers RepoNotFound.
home.accounts.splice(home.accounts.indexOf(moved), 1, { ...moved, fault: "notFound" });
forger.accounts.push(moved);
moved.host = "pds-1.atp.example";
// 5. documents without Multikey: compressed, uncompressed, and one without a usable key.
const setOld = (a: any, isWhole: boolean) => {
  const type = `EcdsaSecp256${a.index % 3 === 2 ? "r1" : "k1"}VerificationKey2019`;
  const point = isWhole ? a.key.publicKeyBytes() : decodeBase58(a.key.did().slice("did:key:z".length))!.subarray(2);
  a.oldKey = { type, publicKeyMultibase: `z${encodeBase58(point)}` };
};
setOld(old1, false); setOld(old2, true);
nokey.oldKey = { type: "Ed25519VerificationKey2020", publicKeyMultibase: "z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK" };
// 7. signed with 64 x 0x01
ones.repo = { ...ones.repo, car: buildCar(new Map([["app.bsky.feed.post/3k", encode({ $type: "app.bsky.feed.post", text: "x" })]]), { did: ones.did, rev: ones.repo.rev }) };

const a = join(root, "a");
await crawl("1,2,4,5,7 first crawl", a, [`pds:${forger.host.url}`, `relay:${network.relay.url}`]);
const names = { victim, moved, rotated, old1, old2, nokey, ones };
for (const [name, { did }] of Object.entries(names)) await run(`cat ${name}`, "cat", did, "-i", a);
for (const { did } of network.accounts.filter((x) => x.did.startsWith("did:web"))) await run("cat did:web", "cat", did, "-i", a);
console.log("victim's own server:", home.host.url, "real rev", victim.repo.rev, "forged rev", fake.repo.rev);
console.log("requests to the forger for the victim:", forger.host.requests.filter((r) => r.did === victim.did).length);
await run("failures", "failures", "--output-dir", a);
await run("verify", "verify", "-i", a, "--proofs");
// 3. rotation
rotated.key = await P256Keypair.create({ exportable: true });
await network.change(rotated.did);
await crawl("3 key rotation", a, [`relay:${network.relay.url}`], "--since", a);
await run("cat rotated", "cat", rotated.did, "-i", a);
console.log("expected rev", rotated.repo.rev);
await run("verify after rotation", "verify", "-i", a, "--proofs");
// 6. changed record, CRCs right
const b = join(root, "b");
cpSync(a, b, { recursive: true });
const segs = readdirSync(a).filter((n) => n.endsWith(".rca"));
const c = join(root, "c");
const reader = await SegmentReader.open(join(a, segs[0]!), { onDamage: noDamage });
const proofReader = await SegmentReader.open(join(a, segs[0]!.replace(".rca", ".rcx")), { onDamage: noDamage }, "rcx");
const writer = sampleWriter(c, { proofs: true });
for await (const repo of reader.repos()) {
  let collections = repo.collections;
  if (repo.did === tampered.did) {
    collections = compressCollections(collections.map((col: any) => ({
      name: col.name, recordCount: col.recordCount,
      bytes: encodeRecords([...recordsOf(contentOf(col), col.recordCount)].map(({ rkey, value }) => ({ rkey, value: Buffer.from(value.toString("utf8").replace(/Post \d/, "Prost")) }))),
    })) as any, 3);
    console.log("tampered", repo.did);
  }
  let proof: any = null;
  for (const entry of await proofReader.find(repo.did)) proof = await proofReader.read(entry);
  await writer.append({ ...repo, collections }, proof);
}
await writer.close();
for (const n of readdirSync(c)) writeFileSync(join(b, segs[0]!.replace(".rca", n.endsWith("x") ? ".rcx" : ".rca")), readFileSync(join(c, n)));
rmSync(join(b, "catalogue"), { recursive: true, force: true });
await run("6 changed record, CRCs recomputed", "verify", "-i", b, "--proofs");
// 7b. stored with --verify blocks --trust-sources, then verify with the identities of a
const d = join(root, "d");
await crawl("7b stored with --verify blocks", d, [`pds:${home.host.url}`], "--verify", "blocks");
await run("7b verify", "verify", "-i", d, "--proofs");
await network.close();
rmSync(root, { recursive: true, force: true });
