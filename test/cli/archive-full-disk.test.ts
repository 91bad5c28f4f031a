/** Commands of `trawl archive` on a disk that really is full: exit code 3, nothing half-written, and nothing lost. */
import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AGENT, metadataOf, writeConfig } from "../archive/archiving.ts";
import { smallDisk } from "../archive/small-disk.ts";
import { startArchiving } from "./archiving.ts";

const FULL = /^error: The disk is full(?:: .* cannot be written)?\.\nhint: Make room /m;

test("full from the very start: configure, run and resume say so, and the same command then does everything", async (t) => {
  const disk = smallDisk(t, "4m");
  if (disk === null) return t.skip("mounting a tmpfs needs root");
  const { trawl, reach, host } = await startArchiving(t, { repos: 1 });
  const root = join(disk.folder, "workspace");
  disk.fill(0);
  const configure = ["archive", "configure", root, "--user-agent", AGENT];
  const configured = await trawl.run(...configure);
  assert.equal(configured.code, 3);
  assert.match(configured.stderr, FULL);
  assert.ok(!existsSync(join(root, "archive.yaml")), "no empty file is left that the next attempt would keep");
  disk.free();
  assert.equal((await trawl.run(...configure)).code, 0);
  writeConfig(root);
  for (const left of [0, 4_096, 12_288]) {
    disk.fill(left);
    const { code, stderr } = await trawl.run("archive", "run", "-w", root, ...reach);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /The disk is full/);
  }
  disk.fill(0);
  // Whatever got onto the disk: resume does not call it done.
  assert.notEqual((await trawl.run("archive", "resume", "-w", root, ...reach)).code, 0);
  disk.free();
  assert.equal((await trawl.run("archive", "run", "-w", root, ...reach)).code, 0);
  const status = (await trawl.json("archive", "status", "-w", root)).lines[0]!;
  assert.equal(status["blobs"], host.pages.length);
});

test("exports, replay and search that are cut short leave what was there, and no half of a file", async (t) => {
  const disk = smallDisk(t, "4m");
  if (disk === null) return t.skip("mounting a tmpfs needs root");
  const { trawl, reach, root: usual } = await startArchiving(t, { repos: 3 });
  assert.equal((await trawl.run("archive", "run", "--warc", ...reach)).code, 0);
  const root = join(disk.folder, "workspace");
  cpSync(usual, root, { recursive: true });
  const kinds = [
    ["wacz", "all.wacz"],
    ["warc", "all.warc.gz"],
    ["pages", "all.csv"],
  ] as const;
  for (const [kind, name] of kinds) {
    const output = join(disk.folder, name);
    const before = readdirSync(disk.folder).sort();
    for (const left of [0, 8_192]) {
      disk.fill(left);
      const { code, stderr } = await trawl.run("archive", "export", kind, "-w", root, "-o", output);
      assert.equal(code, 3, `${kind}: ${stderr}`);
      assert.match(stderr, FULL);
      disk.free();
      assert.deepEqual(readdirSync(disk.folder).sort(), before, `${kind} leaves nothing`);
    }
    writeFileSync(output, "an earlier export");
    disk.fill(8_192);
    assert.equal((await trawl.run("archive", "export", kind, "-w", root, "-o", output)).code, 3);
    assert.equal(readFileSync(output, "utf8"), "an earlier export");
    disk.free();
    assert.equal((await trawl.run("archive", "export", kind, "-w", root, "-o", output)).code, 0);
  }
  disk.fill(0);
  for (const typed of [["replay"], ["search", "file"], ["search", "file", "--rebuild"]]) {
    const { code, stderr } = await trawl.run("archive", ...typed, "-w", root);
    assert.equal(code, 3, typed.join(" "));
    assert.match(stderr, FULL);
  }
  assert.equal((await trawl.run("archive", "verify", "-w", root)).code, 0);
  disk.free();
  assert.equal((await trawl.run("archive", "search", "file", "-w", root)).code, 0);
});

test("verify --repair that runs out of room can be repeated, and nothing good is dropped", async (t) => {
  const disk = smallDisk(t, "4m");
  if (disk === null) return t.skip("mounting a tmpfs needs root");
  const { trawl, reach, root: usual, host } = await startArchiving(t, { repos: 3 });
  await trawl.run("archive", "run", "--warc", ...reach);
  const warcs = readdirSync(join(usual, "warc")).map((name) => `warc/${name}`);
  for (const name of ["state/commits.jsonl", "state/fetched_urls.txt", "metadata/crawl_metadata.jsonl", ...warcs]) {
    const bytes = readFileSync(join(usual, name));
    const at = Math.floor(bytes.length / 2);
    bytes[at]! ^= 1;
    writeFileSync(join(usual, name), bytes);
  }
  const root = join(disk.folder, "workspace");
  cpSync(usual, root, { recursive: true });
  let refusals = 0;
  for (const left of [0, 20_000, 60_000, 120_000]) {
    disk.fill(left);
    const { code, stderr } = await trawl.run("archive", "verify", "--repair", "-w", root);
    if (code !== 0) {
      refusals++;
      assert.equal(code, 3, stderr);
      assert.match(stderr, FULL);
    }
  }
  assert.ok(refusals >= 2, "it did run out of room");
  disk.free();
  const repaired = await trawl.run("archive", "verify", "--repair", "-w", root);
  assert.equal(repaired.code, 0, repaired.stderr);
  host.reset();
  assert.equal((await trawl.run("archive", "resume", "-w", root, ...reach)).code, 0);
  assert.ok(host.requests().length < 8, "only what was damaged is fetched again");
  assert.equal((await trawl.run("archive", "verify", "-w", root)).code, 0);
  const lines = metadataOf({ paths: { metadata: join(root, "metadata/crawl_metadata.jsonl") } } as never);
  const stored = new Set(lines.filter((line) => line.content_sha256 !== "").map(({ url }) => url));
  assert.equal(stored.size, host.pages.length);
});
