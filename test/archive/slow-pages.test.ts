/** One slow page holds up no other. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { MetadataRecord } from "../../src/archive/store/metadata-record.ts";
import type { Instead } from "../servers/code-host.ts";
import { archiveAll, makeWorkspace, pathOf, startHost, storedPaths } from "./archiving.ts";

const CHAIN = 12;
const SLOW = "/owner/slow";
const LAST = `/owner/chain-${CHAIN}`;
/** The slow page is answered then, whatever happened. Below the patience of the kernel, and the deadlines of a request. */
const TOO_LONG_MS = 9_000;

const page = (links: string[]): string => links.map((link) => `<a href="${link}">${link}</a>`).join("");

/** A chain of pages, each of which leads to the next, and a page next to it that is answered when the last one is stored. */
function slowBesideChain(t: TestContext, headers: Record<string, string>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isTooLate = false;
  const timer = setTimeout(() => {
    isTooLate = true;
    resolve();
  }, TOO_LONG_MS);
  t.after(() => clearTimeout(timer));
  const instead = (path: string): Instead | null => {
    const step = Number(/^\/owner\/chain-(\d+)$/.exec(path)?.[1] ?? 0);
    if (path === "/topics") return { status: 200, headers, body: page([SLOW, "/owner/chain-1"]) };
    if (path === SLOW) return { status: 200, headers, body: page([]), after: promise };
    return step === 0 ? null : { status: 200, headers, body: page(step < CHAIN ? [`/owner/chain-${step + 1}`] : []) };
  };
  const onRecord = ({ url }: MetadataRecord): void => {
    if (pathOf(url) === LAST) resolve();
  };
  return { instead, onRecord, isTooLate: () => isTooLate };
}

for (const [name, headers, limits] of [
  ["over HTTP/2, where outcomes keep their order", {}, {}],
  ["over connections that are closed after each page", { connection: "close" }, { http2: false }],
] as [string, Record<string, string>, object][]) {
  test(`a page that is answered last, ${name}: the others do not wait for it`, async (t) => {
    const { instead, onRecord, isTooLate } = slowBesideChain(t, headers);
    const host = await startHost(t, { repos: 0, instead });
    const workspace = await makeWorkspace(t, {
      limits: { per_host_concurrency: 2, global_concurrency: 2, ...limits },
    });
    await archiveAll(workspace, host, { events: { onRecord } });
    assert.ok(!isTooLate(), `the others were not done after ${TOO_LONG_MS} ms`);
    assert.equal(storedPaths(workspace).length, CHAIN + 2);
  });
}
