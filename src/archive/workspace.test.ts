import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  configureWorkspace,
  HALVES,
  lockedHalves,
  lockWorkspace,
  openWorkspace,
  resetWorkspace,
  runIdAt,
  workspaceSeeds,
} from "./workspace.ts";

const CHOICES = { profile: "github", userAgent: "a/1 (+https://example.com)" };

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-workspace-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "ws");
}

test("configure creates what is missing, and changes nothing that exists", async (t) => {
  const root = folderFor(t);
  assert.deepEqual(await configureWorkspace(root, CHOICES), { created: ["archive.yaml", "seeds.txt"], kept: [] });
  writeFileSync(join(root, "seeds.txt"), "https://github.com/o/r\n");
  assert.deepEqual((await configureWorkspace(root, CHOICES)).kept, ["archive.yaml", "seeds.txt"]);
  assert.deepEqual(await workspaceSeeds(root), ["https://github.com/o/r"]);
  assert.ok(existsSync(join(root, "store", "html")));
});

test("open: paths are below the workspace, {run_id} is the start, flags win over the file", async (t) => {
  const root = folderFor(t);
  await configureWorkspace(root, CHOICES);
  const now = Date.UTC(2025, 0, 9, 15, 30);
  const workspace = openWorkspace(root, now, undefined, { limits: { req_per_sec: 5 } });
  assert.equal(workspace.settings.config.limits.req_per_sec, 5);
  assert.equal(workspace.paths.pagesCsv, join(root, "logs", "pages-2025-01-09T15-30Z.csv"));
  assert.equal(workspace.paths.recordedStore, "ws/store/html");
  assert.equal(runIdAt(now), "2025-01-09T15-30Z");
  const named = openWorkspace(root, now, undefined, { run_id: "r1", storage: { html_store_root: "store/{run_id}" } });
  assert.equal(named.paths.htmlStore, join(root, "store", "r1"));
  assert.equal(named.paths.recordedStore, "ws/store/r1", "the path in the metadata is the path on the disk");
});

test("open: a folder that is not a workspace, and a config with a mistake, are named in the error", async (t) => {
  const root = folderFor(t);
  assert.throws(() => openWorkspace(root, 0), { code: "NO_WORKSPACE" });
  mkdirSync(root);
  writeFileSync(join(root, "archive.yaml"), "user_agent: [\n");
  assert.throws(() => openWorkspace(root, 0), { code: "BAD_CONFIG", message: /archive\.yaml is not valid YAML/ });
  writeFileSync(join(root, "archive.yaml"), "user_agent: x\n");
  assert.throws(() => openWorkspace(root, 0), {
    code: "BAD_CONFIG",
    message: /archive\.yaml is not valid:\nuser_agent/,
  });
  await assert.rejects(workspaceSeeds(root), { code: "FILE_NOT_READABLE" });
});

test("reset removes what was archived and nothing else", async (t) => {
  const root = folderFor(t);
  await configureWorkspace(root, CHOICES);
  const own = [
    "state/frontier.jsonl",
    "state/scrape/commits.jsonl",
    "metadata/crawl_metadata.jsonl",
    "store/html/aa/bb/x.html",
  ];
  const logs = ["logs/edges.csv", "logs/pages-2025-01-09T15-30Z.csv", "logs/crawler_metrics.csv"];
  const others = ["notes.txt", "logs/mine.log", "metadata/mine.txt"];
  for (const path of [...own, ...logs, ...others]) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), "x");
  }
  const removed = await resetWorkspace(openWorkspace(root, 0));
  for (const path of [...own, ...logs]) assert.ok(!existsSync(join(root, path)), path);
  for (const path of [...others, "archive.yaml", "seeds.txt"]) assert.ok(existsSync(join(root, path)), path);
  assert.ok(removed.includes(join("logs", "edges.csv")));
  assert.ok(existsSync(join(root, "store", "html")), "folders stay");
  assert.deepEqual(await resetWorkspace(openWorkspace(root, 0)), []);
  assert.match(readFileSync(join(root, "archive.yaml"), "utf8"), /^user_agent: "a\/1/m);
});

function lockFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-lock-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("workspace lock: discovering and scraping go side by side, a run goes alone", (t) => {
  const root = join(lockFolder(t), "new");
  const discover = lockWorkspace(root, ["crawl"]);
  assert.ok(existsSync(root), "made for whoever begins");
  const scrape = lockWorkspace(root, ["store"]);
  assert.deepEqual(lockedHalves(root), ["crawl", "store"]);
  assert.throws(() => lockWorkspace(root, HALVES), { code: "WORKSPACE_BUSY", message: /new\.$/ });
  discover.release();
  assert.throws(() => lockWorkspace(root, HALVES), { code: "WORKSPACE_BUSY" });
  assert.deepEqual(lockedHalves(root), ["store"], "who was refused keeps nothing");
  scrape.release();
  lockWorkspace(root, HALVES).release();
  assert.deepEqual(lockedHalves(root), []);
});
