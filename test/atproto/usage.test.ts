/** Bad usage of `trawl atproto`, and its help: each command in a separate process. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Trawl } from "../cli/trawl.ts";

function makeTrawl(t: TestContext): Trawl {
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  return trawl;
}

test("bad usage is reported with exit code 2, and nothing starts", async (t) => {
  const trawl = makeTrawl(t);
  writeFileSync(join(trawl.folder, "file"), "");
  for (const [typed, expected] of [
    [["crawl"], /--source/],
    [["crawl", "--source", "carrier-pigeon:x"], /is not a source/],
    [["crawl", "--source", "pds:http://pds.example.com"], /not https.*--allow-private/],
    [["crawl", "--source", "pds:https://127.0.0.1"], /raw address/],
    [["crawl", "--source", "dids:x", "--zstd-level", "20"], /^error: --zstd-level: /],
    [["crawl", "--source", "dids:x", "--segment-size", "2 parsecs"], /size/],
    [["crawl", "--source", "dids:x", "--record-json", "pretty"], /^error: --record-json: /],
    [["crawl", "--source", "pds:https://a.example", "--since", "nowhere"], /nowhere has no \.rca segments/],
    [
      ["crawl", "--source", "pds:https://a.example", "--output-dir", "file/rca"],
      /The folder .*file cannot be created: EEXIST/,
    ],
    [
      ["crawl", "--source", "pds:https://a.example", "--output-dir", "/proc/x/y"],
      /The folder \/proc\/x cannot be created/,
    ],
    [["inspect", "nothing.rca"], /cannot be read/],
    [["inspect", "."], /cannot be read/],
    [["verify"], /no \.rca segments/],
    [["cat", "did:plc:x", "--input-dir", "nowhere"], /no \.rca segments/],
    [["query", "SELECT 1", "--input-dir", "nowhere"], /no \.rca segments/],
  ] as const) {
    const { code, stderr } = await trawl.run("atproto", ...typed);
    assert.equal(code, 2, `${typed.join(" ")}: ${stderr}`);
    assert.match(stderr, expected, typed.join(" "));
    assert.doesNotMatch(stderr, /\n {4}at /, "no stack trace");
  }
  const status = await trawl.run("atproto", "status");
  assert.match(status.stdout, /^There is no crawl in rca yet/);
  const reset = await trawl.run("atproto", "reset", "--yes");
  assert.deepEqual([reset.code, reset.stderr], [0, "Nothing was deleted.\n"]);
  assert.ok(!existsSync(join(trawl.folder, "rca")));
});

test("every command explains itself, with examples, and takes the connection flags of all", async (t) => {
  const trawl = makeTrawl(t);
  const group = await trawl.run("atproto", "--help");
  const names = "crawl replay inspect status reset schema verify repair cat export query diff".split(" ");
  for (const name of names) {
    assert.match(group.stdout, new RegExp(`^  ${name}\\b`, "m"));
    const { code, stdout } = await trawl.run("atproto", name, "--help");
    assert.equal(code, 0);
    assert.match(stdout, /Examples:/, name);
    assert.match(stdout, /--json/, name);
    // Wrapped lines are put together again, each option by itself.
    for (const option of stdout.replace(/\n {8,}/g, " ").split("\n")) {
      assert.ok(option.split("default:").length <= 2, `${name}: ${option}`);
    }
  }
  const { lines } = await trawl.json(
    "atproto",
    "schema",
    "--redis-address",
    "localhost:1",
    "--clickhouse-username",
    "me",
  );
  assert.equal(lines[0]!["applied"], false);
});
