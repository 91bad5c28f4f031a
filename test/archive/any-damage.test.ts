/**
 * Damage to any state or metadata file of a workspace: `verify` names it, the run that uses the file refuses to start and
 * changes nothing, and after `--repair` and another run the archive is complete again.
 */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { Scrape } from "../../src/archive/spool/scrape.ts";
import { sumsPath } from "../../src/archive/store/metadata-sums.ts";
import type { Problem } from "../../src/archive/store/verify-store.ts";
import { checkLedgers, repairWorkspace, verifyWorkspace } from "../../src/archive/verify-workspace.ts";
import { openWorkspace, type Workspace } from "../../src/archive/workspace.ts";
import { byteDamages, type Damage, lineDamages } from "../../src/storage/testing/damage.ts";
import type { CodeHost } from "../servers/code-host.ts";
import { archive, archiveAll, makeWorkspace, metadataOf, startHost, storedPaths } from "./archiving.ts";

const SMALL = { repos: 2, files: 2, issues: 1, pulls: 1 };
const ONE_BY_ONE = { limits: { global_concurrency: 1, per_host_concurrency: 1 } };

const HARMLESS: ReadonlySet<Problem["kind"]> = new Set(["unsettled_line", "orphan", "leftover"]);

/** What is wrong, as `verify` says it. */
async function problemsOf(workspace: Workspace): Promise<string[]> {
  const problems: string[] = [];
  const onProblem = (problem: Problem): void => {
    if (!HARMLESS.has(problem.kind)) problems.push(problem.kind);
  };
  await verifyWorkspace(workspace, { onProblem });
  const state = await checkLedgers(workspace);
  return [...problems, ...state.map(({ file, line }) => `${file} ${line}`)];
}

/** A copy of a workspace, which keeps its name: the metadata names it. */
function copyOf({ root }: Workspace, t: TestContext): Workspace {
  const folder = join(mkdtempSync(join(tmpdir(), "trawl-damage-")), basename(root));
  mkdirSync(folder);
  t.after(() => rmSync(join(folder, ".."), { recursive: true, force: true }));
  cpSync(root, folder, { recursive: true });
  return openWorkspace(folder, Date.now());
}

/** Every file, with the bytes of all files that a run must not change. */
const filesOf = ({ paths }: Workspace): Map<string, string> =>
  new Map(
    [...Object.values(paths.ledger), paths.metadata, sumsPath(paths.metadata)]
      .filter((path) => existsSync(path))
      .map((path) => [path, readFileSync(path, "latin1")]),
  );

/** One damage of each kind, each in another place of the file. */
function someDamages(good: Buffer): Damage[] {
  const all = [...byteDamages(good), ...lineDamages(good)].filter(({ bytes }) => !bytes.equals(good));
  const kinds = new Map<string, Damage[]>();
  for (const damage of all) {
    const kind = damage.how.replaceAll(/\d+/g, "");
    kinds.set(kind, [...(kinds.get(kind) ?? []), damage]);
  }
  return [...kinds.values()].map((each, at) => each[Math.floor((each.length * (at * 2 + 1)) / (kinds.size * 2 + 1))]!);
}

interface Run {
  /** Rejects when the workspace is refused. */
  run: (workspace: Workspace) => Promise<void>;
  files: (workspace: Workspace) => string[];
  /** What must be in the store afterwards. */
  pages: readonly string[];
}

async function tryDamages(t: TestContext, good: Workspace, { run, files, pages }: Run, every: number): Promise<void> {
  assert.deepEqual(await problemsOf(good), []);
  let [tried, number] = [0, 0];
  for (const path of files(good)) {
    const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    for (const damage of someDamages(bytes)) {
      const workspace = copyOf(good, t);
      const damaged = path.replace(good.root, workspace.root);
      const where = `${basename(path)}: ${damage.how}`;
      writeFileSync(damaged, damage.bytes);
      assert.notDeepEqual(await problemsOf(workspace), [], where);
      tried++;
      // Repairing and fetching again takes time.
      if (number++ % every !== 0) continue;
      const before = filesOf(workspace);
      await assert.rejects(run(workspace), { code: "ARCHIVE_DAMAGED", message: / line \d+ / }, where);
      assert.deepEqual(filesOf(workspace), before, `${where}: refused, but changed`);
      await repairWorkspace(workspace, { onProblem: () => {} }, Date.now());
      assert.deepEqual(await problemsOf(workspace), [], `${where}: not repaired`);
      await run(workspace);
      assert.deepEqual([...new Set(storedPaths(workspace))], pages, where);
      assert.deepEqual(await problemsOf(workspace), [], `${where}: damaged again`);
      const urls = metadataOf(workspace).map(({ url }) => url);
      assert.equal(new Set(urls).size, urls.length, `${where}: recorded twice`);
    }
  }
  t.diagnostic(`${tried} damages tried, all noticed`);
}

async function halfway(t: TestContext, host: CodeHost, mode?: "discover"): Promise<Workspace> {
  const workspace = await makeWorkspace(t, ONE_BY_ONE);
  const { crawl } = await archive(workspace, host, mode === undefined ? {} : { mode });
  await host.until(9);
  await crawl.stop();
  return workspace;
}

test("run and its metadata", async (t) => {
  const host = await startHost(t, { ...SMALL, delayMs: 2 });
  const workspace = await halfway(t, host);
  const { paths } = workspace;
  await tryDamages(
    t,
    workspace,
    {
      run: async (copy) => void (await archiveAll(copy, host)),
      files: () => [...Object.values(paths.ledger), paths.metadata, sumsPath(paths.metadata)],
      pages: [...host.pages].sort(),
    },
    3,
  );
});

test("run --discover", async (t) => {
  const host = await startHost(t, { ...SMALL, delayMs: 2 });
  const workspace = await halfway(t, host, "discover");
  const targets = host.pages.filter((path) => !/^\/(?:topics|trending)/.test(path));
  const run = async (copy: Workspace): Promise<void> => {
    await archiveAll(copy, host, { mode: "discover" });
    await scrapeAll(copy, host);
  };
  await tryDamages(
    t,
    workspace,
    {
      run,
      files: ({ paths }) => Object.values(paths.discoverLedger),
      pages: [...targets].sort(),
    },
    5,
  );
});

test("a spool: what was lost or changed before it was fetched", async (t) => {
  const host = await startHost(t, SMALL);
  const good = await makeWorkspace(t);
  await archiveAll(good, host, { mode: "discover" });
  const targets = host.pages.filter((path) => !/^\/(?:topics|trending)/.test(path)).sort();
  const [name] = readdirSync(good.paths.spool) as [string];
  const bytes = readFileSync(join(good.paths.spool, name));
  // More at the end is another discovery, or is named when it is read.
  const damages = someDamages(bytes).filter(({ bytes: bad }) => !bad.subarray(0, bytes.length).equals(bytes));
  for (const { how, bytes: bad } of [...damages, { how: "removed", bytes: null }]) {
    const workspace = copyOf(good, t);
    const path = join(workspace.paths.spool, name);
    if (bad === null) rmSync(path);
    else writeFileSync(path, bad);
    assert.ok(
      (await problemsOf(workspace)).every((problem) => problem.startsWith(`${name} `)),
      how,
    );
    await assert.rejects(scrapeAll(workspace, host), { code: "ARCHIVE_DAMAGED", message: / line \d+ is / }, how);
    const { discoversAgain, ledger } = await repairWorkspace(workspace, { onProblem: () => {} }, Date.now());
    assert.ok(discoversAgain && ledger.damaged.length > 0, how);
    assert.deepEqual(await problemsOf(workspace), [], `${how}: not repaired`);
    await archiveAll(workspace, host, { mode: "discover" });
    await scrapeAll(workspace, host);
    const stored = new Set(storedPaths(workspace));
    assert.deepEqual(
      targets.filter((target) => !stored.has(target)),
      [],
      how,
    );
  }
});

test("scrape", async (t) => {
  const host = await startHost(t, SMALL);
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host, { mode: "discover" });
  await scrapeAll(workspace, host);
  assert.ok(readdirSync(workspace.paths.spool).length > 0);
  await tryDamages(
    t,
    workspace,
    {
      run: (copy) => scrapeAll(copy, host),
      files: ({ paths }) => [...Object.values(paths.scrapeLedger), paths.metadata],
      pages: storedPaths(workspace),
    },
    5,
  );
});

async function scrapeAll(workspace: Workspace, host: CodeHost): Promise<void> {
  const run = await Scrape.start({ workspace, follow: false, reach: host.reach });
  const { error } = await run.ended;
  if (error !== null) throw error;
}
