/** A disk that really is full, and one that really is read-only (a small tmpfs): what is stored can be read and deleted. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { startDemoSite } from "../../src/demo/index.ts";
import { until } from "../../src/net/testing/until.ts";
import { type Finished, finished, jsonLines, linesOf, PROGRAM, TRAP_LIMITS } from "./trawl.ts";

interface SmallDisk {
  folder: string;
  start(...typed: string[]): ReturnType<typeof spawn> & { stdout: NodeJS.ReadableStream };
  run(...typed: string[]): Promise<Finished>;
  fill(): void;
  remount(options: string): void;
}

/** Null where this process may not mount: then the test is skipped, on CI as well. */
function smallDisk(t: TestContext, size: string): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), "trawl-small-"));
  const mount = (...given: string[]) => execFileSync("mount", [...given, folder], { stdio: "ignore" });
  try {
    mount("-t", "tmpfs", "-o", `size=${size}`, "tmpfs");
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  t.after(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  const env = { ...process.env, TRAWL_HOME: join(folder, "home"), NO_COLOR: "1" };
  const start = (...typed: string[]) => spawn(process.execPath, [PROGRAM, ...typed], { env });
  return {
    folder,
    start,
    run: (...typed) => finished(start(...typed)),
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(join(folder, "filler"), Buffer.alloc(bavail * bsize));
    },
    remount: (options) => mount("-o", `remount,${options}`),
  };
}

/** Every command that only reads; the database may have changes that are in its WAL only. */
async function assertReadable({ run, start }: SmallDisk, url: string): Promise<void> {
  const commands = [["crawls"], ["show", "1"], ["urls", "1"], ["why", "1", url], ["links", "1", url]];
  for (const typed of [...commands, ["sql", "1", "SELECT count(*) FROM urls"], ["schedule", "list"]]) {
    const { code, stderr } = await run(...typed);
    assert.equal(code, 0, `${typed.join(" ")}: ${stderr}`);
  }
  const { code, stdout } = await run("export", "1", "--format", "jsonl", "--fields", "url,status");
  assert.equal(code, 0);
  assert.ok(jsonLines(stdout).some((row) => row["url"] === url && row["status"] === 200));
  const server = start("serve", "--port", "0", "--no-ui", "--json");
  const [line] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
  const { url: address, token } = JSON.parse(line) as { url: string; token: string };
  const answer = await fetch(`${new URL(address).origin}/api/v1/crawls/1/urls`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(answer.status, 200);
  server.kill("SIGTERM");
  await once(server, "exit");
}

test("a crawl on a disk that becomes full or read-only can be read, and on a full one deleted", async (t) => {
  const disk = smallDisk(t, "8m");
  if (disk === null) return t.skip("mounting a tmpfs needs root");
  const site = await startDemoSite();
  t.after(() => site.close());
  const crawl = disk.start("crawl", site.url, "--max-urls", "20", "--rate", "3", "--json");
  // Killed, so that the newest commits are in the WAL only.
  for await (const line of linesOf(crawl as Parameters<typeof linesOf>[0])) {
    if (Number(line["crawled"]) > 2) crawl.kill("SIGKILL");
  }
  const database = join(disk.folder, "home", "crawls", "1", "crawl.db");
  assert.ok(readFileSync(`${database}-wal`).length > 0);
  disk.remount("ro");
  await assertReadable(disk, site.url);
  const refused = await disk.run("crawls", "rm", "1", "--yes");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^error: Crawl 1 cannot be deleted/);
  disk.remount("rw");
  rmSync(`${database}-shm`, { force: true });
  disk.remount("ro");
  await assertReadable(disk, site.url);
  disk.remount("rw");
  disk.fill();
  await assertReadable(disk, site.url);
  assert.equal((await disk.run("crawls", "rm", "1", "--yes")).code, 0);
  assert.match((await disk.run("crawls")).stdout, /^No crawls yet/);
});

test("a crawl waits while the disk is almost full, says so, and continues by itself", async (t) => {
  const disk = smallDisk(t, "16m");
  if (disk === null) return t.skip("mounting a tmpfs needs root");
  const site = await startDemoSite();
  t.after(() => site.close());
  const filler = join(disk.folder, "filler");
  const { bavail, bsize } = statfsSync(disk.folder);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - 1_000_000));
  const crawl = disk.start("crawl", site.url, ...TRAP_LIMITS, "--max-urls", "50", "--json");
  let end: Record<string, unknown> = {};
  let waited = 0;
  for await (const line of linesOf(crawl as Parameters<typeof linesOf>[0])) {
    if (/disk is almost full/.test(String(line["trouble"]))) {
      waited++;
      if (waited === 2) rmSync(filler);
    }
    if (line.event === "end") end = line;
  }
  assert.ok(waited >= 2);
  assert.equal(end["state"], "limit_reached");
  await until(() => crawl.exitCode !== null);
  assert.equal(crawl.exitCode, 0);
});
