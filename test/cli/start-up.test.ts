/** Commands that only read start fast: what they load is checked here, and what it costs is measured by bench/startup.ts. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PROGRAM } from "./trawl.ts";

/** Prints the files that the program has loaded, one per line, on stderr. */
const LISTER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  const files = [];
  registerHooks({ load(url, context, next) { files.push(url); return next(url, context); } });
  process.on("exit", () => process.stderr.write(files.join("\\n")));
`)}`;

/** Engines and large packages that a list of crawls has no use for. */
const UNNEEDED = [
  /\/src\/(?:archive|fleet|demo)\/(?!testing)/,
  /\/src\/web\/html\/engine\.ts/,
  /\/src\/site\/site-(?:crawl|product|visit)\.ts/,
  /\/node_modules\/(?:undici|yaml|prom-client|puppeteer-core|pg|ioredis|hono|csv-stringify)\//,
];

for (const typed of [["crawls"], ["schedule", "list"], ["config", "show"]]) {
  test(`trawl ${typed.join(" ")} loads no crawl engine, no other product and no large package`, () => {
    const home = mkdtempSync(join(tmpdir(), "trawl-start-up-"));
    try {
      const { status, stderr } = spawnSync(process.execPath, ["--import", LISTER, PROGRAM, ...typed], {
        env: { ...process.env, TRAWL_HOME: home, TRAWL_DEBUG: "" },
        encoding: "utf8",
      });
      const loaded = stderr.split("\n").filter((line) => line.startsWith("file:"));
      assert.equal(status, 0);
      assert.ok(loaded.length > 10, stderr);
      assert.deepEqual(
        loaded.filter((file) => UNNEEDED.some((pattern) => pattern.test(file))),
        [],
      );
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
}

test("a crawl on one machine loads nothing of a fleet, and no client of a database server", () => {
  const home = mkdtempSync(join(tmpdir(), "trawl-start-up-"));
  try {
    const { stderr } = spawnSync(process.execPath, ["--import", LISTER, PROGRAM, "crawl", "http://127.0.0.1:1/"], {
      env: { ...process.env, TRAWL_HOME: home, TRAWL_DEBUG: "" },
      encoding: "utf8",
    });
    const loaded = stderr.split("\n").filter((line) => line.startsWith("file:"));
    assert.ok(
      loaded.some((file) => file.endsWith("/src/site/site-crawl.ts")),
      stderr,
    );
    const needless = /\/src\/fleet\/|\/node_modules\/(?:pg|pg-[a-z]+|ioredis|@clickhouse)\//;
    assert.deepEqual(
      loaded.filter((file) => needless.test(file)),
      [],
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
