/** Any damage to a file of the spool that `run --discover` wrote is noticed, and named by its line. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { FakeClock } from "../../kernel/testing/fake-clock.ts";
import { byteDamages, lineDamages } from "../../storage/testing/damage.ts";
import { collect, fastFolder } from "../../storage/testing/files.ts";
import { DiscoveriesWriter } from "./discoveries-writer.ts";
import { formatDiscovery, SPOOL_START, spoolFiles } from "./spool-files.ts";
import { makeRoom } from "./spool-room.ts";
import { checkSpool, forgetSums, spoolSumsPath } from "./spool-sums.ts";

const found = (number: number) => ({
  url: `https://github.com/o/r-${number}`,
  page_type: "repo_root",
  depth: 1,
  referrer: null,
});

/** Two files with three lines each. */
async function filled(t: TestContext) {
  const folder = await fastFolder(t);
  const folders = { spool: join(folder, "spool"), spoolSums: join(folder, "sums") };
  const rotateBytes = formatDiscovery(found(0)).length * 3;
  const writer = await DiscoveriesWriter.open(folders, { rotateBytes, budgetBytes: 1e9 }, new FakeClock(5_000));
  for (let number = 0; number < 6; number++) writer.add([found(number)]);
  await writer.close();
  const files = await spoolFiles(folders.spool);
  assert.equal(files.length, 2);
  return { folders, files };
}

test("any byte or line that is changed, lost, added or moved is noticed", async (t) => {
  const { folders, files } = await filled(t);
  assert.deepEqual(await collect(checkSpool(folders, SPOOL_START)), []);
  const [file] = files as [string];
  const path = join(folders.spool, file);
  const good = readFileSync(path);
  for (const { how, bytes } of [...byteDamages(good), ...lineDamages(good)]) {
    // What follows the last line does no harm: it is another discovery, or is named when it is read.
    if (bytes.equals(good) || bytes.subarray(0, good.length).equals(good)) continue;
    writeFileSync(path, bytes);
    const damage = await collect(checkSpool(folders, SPOOL_START));
    assert.ok(damage.length > 0, how);
    assert.ok(
      damage.every((each) => each.file === file && each.line >= 1 && each.line <= 4),
      how,
    );
  }
  const lines = good.toString().split(/(?<=\n)/);
  writeFileSync(path, lines[0]! + lines[2]!);
  assert.deepEqual(await collect(checkSpool(folders, SPOOL_START)), [{ file, line: 2, what: "is missing" }]);
  await forgetSums(folders, [{ file, line: 2, what: "" }]);
  assert.deepEqual(await collect(checkSpool(folders, SPOOL_START)), []);
});

test("a file is missing unless it was read to its end, or removed by scrape", async (t) => {
  const { folders, files } = await filled(t);
  const [first, second] = files as [string, string];
  const end = readFileSync(join(folders.spool, first)).length;
  rmSync(join(folders.spool, first));
  const isMissing = [{ file: first, line: 1, what: "is missing" }];
  assert.deepEqual(await collect(checkSpool(folders, SPOOL_START)), isMissing);
  assert.deepEqual(await collect(checkSpool(folders, { file: first, offset: end - 1 })), isMissing);
  assert.deepEqual(await collect(checkSpool(folders, { file: first, offset: end })), []);
  assert.deepEqual(await collect(checkSpool(folders, { file: second, offset: 0 })), []);
  writeFileSync(join(folders.spool, first), "");
  const bookmark = { file: second, offset: 0 };
  await makeRoom({ folders, bookmark, isOver: () => true, budgetBytes: 1 });
  assert.equal(existsSync(spoolSumsPath(folders.spoolSums, first)), false);
  assert.equal(readdirSync(folders.spoolSums).length, 1);
});

test("only as much is covered as has a sum", async (t) => {
  const { folders, files } = await filled(t);
  const sums = spoolSumsPath(folders.spoolSums, files[1]!);
  const good = readFileSync(sums, "utf8");
  for (const text of ["", good.slice(0, -3), `${good.split("\n")[0]}\n\0\0\0`]) {
    writeFileSync(sums, text);
    assert.deepEqual(await collect(checkSpool(folders, SPOOL_START)), []);
  }
  writeFileSync(sums, good);
  appendFileSync(join(folders.spool, files[1]!), formatDiscovery(found(7)));
  assert.deepEqual(await collect(checkSpool(folders, SPOOL_START)), []);
});
