/** WARCs of the real program: a property of the workspace, checked by `verify`, and never exported when damaged. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { startArchiving } from "./archiving.ts";

test("once a workspace writes WARCs, resume does too, and the export has every page", async (t) => {
  const { trawl, root, reach, set, host } = await startArchiving(t, { repos: 2 });
  set({ caps: { max_depth: 1 } });
  assert.equal((await trawl.run("archive", "run", "--warc", ...reach)).code, 0);
  const choice = readFileSync(join(root, "state/warc.json"), "utf8");
  assert.match(choice, /^\{"warc":true,"from":0,"sum":"[0-9a-f]{16}"\}\n$/);
  set({});
  const resumed = await trawl.run("archive", "resume", ...reach);
  assert.equal(resumed.code, 0, resumed.stderr);
  const exported = await trawl.json("archive", "export", "wacz", "-o", "all.wacz");
  assert.equal(exported.code, 0);
  assert.deepEqual([exported.lines[0]!["missingPages"], exported.lines[0]!["pages"]], [0, host.pages.length]);
  const [first] = readdirSync(join(root, "warc")).filter((name) => name.endsWith(".warc.gz"));
  const warc = gunzipSync(readFileSync(join(root, "warc", first!))).toString("latin1");
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  assert.match(warc, new RegExp(`^software: trawl/${version.replaceAll(".", "\\.")}\r$`, "m"));
  assert.match(warc, /^WARC-Target-URI: https:\/\/github\.com\/robots\.txt\r$/m);
});

test("pages that were stored without a WARC: the export says how many, and a refresh with --warc adds them", async (t) => {
  const { trawl, reach, set, host } = await startArchiving(t, { repos: 1 });
  set({ caps: { max_depth: 1 } });
  await trawl.run("archive", "run", ...reach);
  const without = await trawl.json("archive", "export", "wacz", "-o", "none.wacz");
  assert.deepEqual([without.code, without.lines.at(-1)!["code"]], [2, "NOTHING_TO_EXPORT"]);
  const stored = Number((await trawl.json("archive", "status")).lines[0]!["blobs"]);
  set({});
  await trawl.run("archive", "run", "--warc", ...reach);
  const partly = await trawl.run("archive", "export", "wacz", "-o", "part.wacz");
  assert.equal(partly.code, 0);
  assert.match(partly.stderr, new RegExp(`^note: ${stored} stored pages are not in the WARCs`));
  const verified = await trawl.run("archive", "verify");
  assert.match(verified.stdout, new RegExp(`${stored} stored pages are not in the WARCs`));
  assert.equal(verified.code, 0, "WARCs began later: nothing is lost");
  await trawl.run("archive", "run", "--refresh", ...reach);
  const whole = (await trawl.json("archive", "export", "wacz", "-o", "all.wacz")).lines[0]!;
  assert.deepEqual([whole["missingPages"], whole["pages"]], [0, host.pages.length]);
  await trawl.run("archive", "run", "--refresh", "--no-warc", ...reach);
  const later = (await trawl.json("archive", "export", "wacz", "-o", "later.wacz")).lines[0]!;
  assert.equal(later["captures"], whole["captures"]);
});

test("a damaged WARC: verify names file, byte and remedy; exports refuse; after --repair they have all that is good", async (t) => {
  const { trawl, root, reach, host } = await startArchiving(t, { repos: 1 });
  await trawl.run("archive", "run", "--warc", ...reach);
  const folder = join(root, "warc");
  const [index, warc] = readdirSync(folder).sort();
  assert.equal((await trawl.run("archive", "verify")).code, 0);
  const bytes = readFileSync(join(folder, warc!));
  writeFileSync(join(folder, warc!), bytes.subarray(0, -20));
  const verified = await trawl.run("archive", "verify");
  assert.equal(verified.code, 1);
  assert.match(verified.stdout, new RegExp(`damaged_record {2}${warc} byte \\d+: the record is cut short {2}https://`));
  assert.match(verified.stdout, /trawl archive verify --repair/);
  for (const what of ["wacz", "warc"]) {
    const refused = await trawl.run("archive", "export", what, "-o", `out.${what}`);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is damaged at byte \d+/);
    assert.ok(!existsSync(join(trawl.folder, `out.${what}`)), "nothing broken is left");
  }
  const repaired = await trawl.run("archive", "verify", "--repair");
  assert.equal(repaired.code, 0, repaired.stderr);
  assert.match(repaired.stdout, /damaged bytes moved to .*quarantine/);
  assert.equal((await trawl.run("archive", "verify")).code, 0);
  rmSync(join(folder, index!));
  assert.equal((await trawl.run("archive", "export", "wacz", "-o", "out.wacz")).code, 1);
  assert.equal((await trawl.run("archive", "verify")).code, 1);
  await trawl.run("archive", "verify", "--repair");
  const exported = (await trawl.json("archive", "export", "wacz", "-o", "out.wacz")).lines.at(-1)!;
  assert.deepEqual([exported["pages"], exported["missingPages"]], [host.pages.length - 1, 1]);
});

test("a WARC that is gone with its index: verify names the pages, and a refresh brings them back", async (t) => {
  const { trawl, root, reach, host } = await startArchiving(t, { repos: 1 });
  const removeWarcs = () => rmSync(join(root, "warc"), { recursive: true });
  await trawl.run("archive", "run", "--warc", ...reach);
  const intact = await trawl.run("archive", "verify");
  assert.doesNotMatch(intact.stdout, /not in the WARCs/);
  assert.equal(intact.code, 0);
  removeWarcs();
  const note = new RegExp(`${host.pages.length} stored pages are not in the WARCs: .* --refresh --warc`);
  const verified = await trawl.run("archive", "verify");
  assert.match(verified.stdout, note);
  assert.equal(
    verified.stdout.match(/^missing_capture {2}crawl_metadata\.jsonl byte \d+: .* {2}https:/gm)?.length,
    host.pages.length,
  );
  assert.equal(verified.code, 1);
  await trawl.run("archive", "run", "--refresh", ...reach);
  const whole = await trawl.run("archive", "verify");
  assert.doesNotMatch(whole.stdout, /not in the WARCs/);
  assert.equal(whole.code, 0);
  removeWarcs();
  await trawl.run("archive", "verify", "--repair");
  const repaired = await trawl.run("archive", "verify");
  assert.match(repaired.stdout, note);
  assert.equal(repaired.code, 0, "known to be lost");
});

test("a workspace that turns WARCs off and on again misses only what was recorded since", async (t) => {
  const { trawl, root, reach, set } = await startArchiving(t, { repos: 1 });
  set({ caps: { max_depth: 0 } });
  await trawl.run("archive", "run", "--warc", ...reach);
  set({ caps: { max_depth: 1 } });
  await trawl.run("archive", "run", "--no-warc", ...reach);
  set({});
  await trawl.run("archive", "run", "--warc", ...reach);
  const path = join(root, "state/warc.json");
  const good = readFileSync(path, "utf8");
  assert.doesNotMatch(good, /"from":0,/);
  assert.equal((await trawl.run("archive", "verify")).code, 0);
  writeFileSync(
    path,
    good.replace(/(?<="from":)\d/, (digit) => String((Number(digit) % 9) + 1)),
  );
  const damaged = await trawl.run("archive", "verify");
  assert.match(damaged.stdout, /^damaged_state {2}warc\.json byte 0/m);
  assert.equal(damaged.code, 1);
  assert.equal((await trawl.run("archive", "run", ...reach)).code, 0);
  assert.equal((await trawl.run("archive", "verify")).code, 0);
});
