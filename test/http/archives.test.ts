/** Archives over REST and MCP: a real run of the code host on loopback, in the server. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ArchiveInfo } from "../../src/app/operations/archives.ts";
import { HALVES, lockWorkspace, type Workspace } from "../../src/archive/workspace.ts";
import { makeWorkspace, startHost } from "../archive/archiving.ts";
import type { CodeHost, CodeHostOptions } from "../servers/code-host.ts";
import { type Serving, startServing } from "./serving.ts";

interface Archiving {
  serving: Serving;
  host: CodeHost;
  workspace: Workspace;
  /** Asks again until it holds. */
  until(holds: (info: ArchiveInfo) => boolean): Promise<ArchiveInfo>;
}

/** A server whose owner has used one workspace, number 1. */
async function archiving(
  t: TestContext,
  options: Omit<CodeHostOptions, "certificate"> = {},
  settings: Parameters<typeof makeWorkspace>[1] = {},
): Promise<Archiving> {
  const host = await startHost(t, options);
  const workspace = await makeWorkspace(t, settings);
  writeFileSync(join(workspace.root, "seeds.txt"), "https://github.com/topics\n");
  const ca = join(workspace.root, "..", "ca.pem");
  writeFileSync(ca, host.reach.ca);
  const serving = await startServing();
  t.after(async () => {
    await serving.close();
    assert.deepEqual(serving.internal, []);
  });
  const connectTo = [`github.com:443:127.0.0.1:${host.port}`];
  serving.app.knownWorkspaces.add({ ...workspace, reach: { connectTo, ca } });
  return {
    serving,
    host,
    workspace,
    async until(holds) {
      for (;;) {
        const { rows: body } = (await serving.ask<{ rows: ArchiveInfo[] }>("GET", "/archives")).body;
        if (holds(body[0]!)) return body[0]!;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

const hasEnded = ({ run }: ArchiveInfo): boolean => run?.state === "ended";

test("a run is started, looked at, searched and verified over REST", async (t) => {
  const { serving, host, workspace, until } = await archiving(t, {
    repos: 2,
    files: 2,
    issues: 2,
    pulls: 1,
    faults: true,
  });
  const { ask } = serving;
  const [known] = (await ask<{ rows: ArchiveInfo[] }>("GET", "/archives")).body.rows;
  assert.equal(known!.folder, workspace.root);
  assert.equal(known!.run, null);

  const started = await ask<ArchiveInfo>("POST", "/archives/1/start", {});
  assert.equal(started.status, 200, JSON.stringify(started.body));
  assert.equal(started.body.isRunning, true);
  const { run, isRunning } = await until(hasEnded);
  assert.equal(run!.outcome!.state, "completed");
  assert.equal(isRunning, false);

  const status = await ask<{ waiting: number; storedPages: number; fetches: number }>("GET", "/archives/1");
  assert.equal(status.body.waiting, 0);
  assert.ok(status.body.storedPages >= 10);

  // Every fetch, page by page, none twice.
  const urls: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${cursor}`;
    const { body } = await ask<{ rows: { url: string }[]; next: string | null }>(
      "GET",
      `/archives/1/pages?limit=4${query}`,
    );
    urls.push(...body.rows.map(({ url }) => url));
    cursor = body.next;
  } while (cursor !== null);
  assert.equal(urls.length, status.body.fetches);
  assert.equal(new Set(urls).size, urls.length);

  const failures = await ask<{ total: number; rows: { url: string; status: number }[] }>(
    "GET",
    "/archives/1/failures?status=5xx",
  );
  assert.ok(failures.body.total > 0);
  assert.ok(failures.body.rows.every((row) => row.status >= 500));

  const [url] = host.pages.filter((path) => /^\/[^/]+\/[^/]+$/.test(path));
  const page = await ask<{ text: string; sha256: string }>(
    "GET",
    `/archives/1/page?page=${encodeURIComponent(`https://github.com${url}`)}`,
  );
  assert.equal(page.status, 200);
  const word = /[a-z]{4,}/i.exec(page.body.text)![0];
  const found = await ask<{ total: number }>("GET", `/archives/1/search?words=${word}`);
  assert.ok(found.body.total > 0);

  const verified = await ask<{ isIntact: boolean; counts: object }>("GET", "/archives/1/verify");
  assert.deepEqual([verified.body.isIntact, verified.body.counts], [true, {}]);
});

test("a stored page is served in a sandbox that runs and loads nothing", async (t) => {
  const { serving, until } = await archiving(t, { repos: 1 });
  await serving.ask("POST", "/archives/1/start", {});
  await until(hasEnded);
  const view = `/api/v1/archives/1/page/view?page=${encodeURIComponent("https://github.com/topics")}`;
  const answer = await serving.fetch(view);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type")!, /^text\/html/);
  const policy = answer.headers.get("content-security-policy")!;
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /sandbox$/);
  assert.doesNotMatch(policy, /script-src|allow-/);
  assert.equal(answer.headers.get("x-frame-options"), "SAMEORIGIN");
  assert.match(await answer.text(), /<a /);
  const missing = await serving.ask("GET", "/archives/1/page?page=https://github.com/none/such");
  assert.deepEqual([missing.status, missing.body["code"]], [404, "PAGE_NOT_IN_ARCHIVE"]);
});

test("only known archives can be named: there is no folder in any question", async (t) => {
  const { serving, workspace } = await archiving(t);
  const other = await serving.ask("POST", "/archives/2/start", {});
  assert.deepEqual([other.status, other.body["code"]], [404, "ARCHIVE_NOT_FOUND"]);
  for (const name of ["folder", "workspace", "root", "configFile", "seeds"]) {
    const { status } = await serving.ask("POST", "/archives/1/start", { [name]: workspace.root });
    assert.equal(status, 422, name);
  }
  // Taken off the list, its files stay.
  assert.equal((await serving.ask("DELETE", "/archives/1")).status, 200);
  assert.deepEqual((await serving.ask<{ rows: unknown[] }>("GET", "/archives")).body.rows, []);
  assert.ok(existsSync(join(workspace.root, "archive.yaml")));
});

test("patterns that would be compiled for long are refused, while others have their answers", async (t) => {
  const { serving } = await archiving(t);
  const large = Array.from({ length: 20 }, (_, index) => `match=${encodeURIComponent(`/${index}\\pL{1,900}/`)}`);
  for (const path of ["pages", "failures"]) {
    const { status, body } = await serving.ask("GET", `/archives/1/${path}?${large.join("&")}`);
    assert.deepEqual([status, body["code"]], [422, "BAD_USAGE"]);
    assert.equal((await serving.ask("GET", `/archives/1/${path}?${large[0]}&match=*/wiki`)).status, 200);
  }
});

test("a second process is kept out with 409, and a second start too", async (t) => {
  const gate = Promise.withResolvers<void>();
  const { serving, workspace, host, until } = await archiving(t, {
    instead: (path) => (path === "/topics" ? { status: 200, body: "<title>x</title>", after: gate.promise } : null),
  });
  const lock = lockWorkspace(workspace.root, HALVES);
  const refused = await serving.ask("POST", "/archives/1/start", {});
  assert.deepEqual([refused.status, refused.body["code"]], [409, "WORKSPACE_BUSY"]);
  lock.release();
  assert.equal((await serving.ask("POST", "/archives/1/start", {})).status, 200);
  await host.until(2);
  const again = await serving.ask("POST", "/archives/1/start", {});
  assert.deepEqual([again.status, again.body["code"]], [409, "WORKSPACE_BUSY"]);
  assert.throws(() => lockWorkspace(workspace.root, HALVES), { code: "WORKSPACE_BUSY" });
  gate.resolve();
  await until(hasEnded);
});

test("pause, unpause and stop reach a run of the server, and it can be continued", async (t) => {
  const { serving, host, until } = await archiving(
    t,
    { repos: 3, delayMs: 20 },
    { limits: { per_host_concurrency: 1 } },
  );
  await serving.ask("POST", "/archives/1/start", {});
  await host.until(5);
  const paused = await serving.ask<ArchiveInfo>("POST", "/archives/1/pause", {});
  assert.equal(paused.body.run!.state, "paused");
  const before = host.requests().length;
  const running = await serving.ask<ArchiveInfo>("POST", "/archives/1/unpause", {});
  assert.equal(running.body.run!.state, "running");
  await host.until(before + 3);
  const stopped = await serving.ask<ArchiveInfo>("POST", "/archives/1/stop", {});
  assert.deepEqual([stopped.body.isRunning, stopped.body.run!.outcome!.state], [false, "stopped"]);
  await serving.ask("POST", "/archives/1/start", {});
  const ended = await until((info) => hasEnded(info) && info.run!.outcome!.state === "completed");
  assert.equal(ended.run!.open, 0);
  // Nothing was fetched twice.
  for (const [path, count] of host.counts()) if (path !== "/robots.txt") assert.equal(count, 1, path);
});

test("a host that rests is shown with its reason", async (t) => {
  let isBusy = true;
  const { serving, until } = await archiving(
    t,
    {
      repos: 1,
      instead: (path) => (isBusy && path !== "/robots.txt" ? { status: 429, headers: { "retry-after": "1" } } : null),
    },
    { limits: { max_rest_sec: 60 } },
  );
  await serving.ask("POST", "/archives/1/start", {});
  const { run } = await until((info) => (info.run?.resting.length ?? 0) > 0);
  assert.equal(run!.resting[0]!.host, "github.com");
  assert.ok(Date.parse(run!.resting[0]!.until!) > Date.now() - 5_000);
  assert.match(run!.resting[0]!.why, /429/);
  isBusy = false;
  const ended = await until(hasEnded);
  assert.deepEqual([ended.run!.outcome!.state, ended.run!.outcome!.failures], ["completed", 0]);
});

test("an archive that cannot be used is listed with its problem", async (t) => {
  const { serving, workspace } = await archiving(t);
  writeFileSync(join(workspace.root, "archive.yaml"), "user_agent: 3\n");
  const [info] = (await serving.ask<{ rows: ArchiveInfo[] }>("GET", "/archives")).body.rows;
  assert.match(info!.problem!, /user_agent/);
  assert.equal((await serving.ask("POST", "/archives/1/start", {})).status, 422);
});
