import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CarDisk } from "./car-disk.ts";

const GIBI = 2 ** 30;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "car-disk-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a file gives back what was written to it, in order, and has no name that a crash could leave", async (t) => {
  const folder = folderOf(t);
  const file = new CarDisk(folder).open(1_000_000)!;
  const parts = [randomBytes(300_000), Buffer.alloc(0), randomBytes(17), randomBytes(100_000)];
  await Promise.all(parts.map((part) => file.write(part)));
  assert.equal(await file.length(), 400_017);
  assert.deepEqual(readdirSync(folder), []);
  assert.deepEqual(await file.read(), Buffer.concat(parts));
  await file.close();
  await file.close();
  assert.deepEqual(readdirSync(folder), []);
});

test("a writer waits when the disk is behind", async (t) => {
  const file = new CarDisk(folderOf(t)).open(10_000_000)!;
  assert.equal(file.write(Buffer.alloc(1_000_000)), true);
  const behind = file.write(Buffer.alloc(1_000_000));
  assert.notEqual(behind, true);
  await behind;
  assert.equal(file.write(Buffer.alloc(1_000_000)), true);
  assert.equal((await file.read()).length, 3_000_000);
  await file.close();
});

test("files count with the largest size they may have, until they are closed; some space is always left free", async (t) => {
  let free = 10 * GIBI;
  const disk = new CarDisk(folderOf(t), () => ({ free, total: 100 * GIBI }));
  const first = disk.open(6 * GIBI)!;
  assert.equal(disk.open(4 * GIBI), null, "the two together would leave nothing");
  const second = disk.open(3 * GIBI)!;
  await first.close();
  await first.close();
  assert.equal(disk.open(7 * GIBI), null, "closing twice counts once");
  const third = disk.open(6 * GIBI)!;
  await Promise.all([second.close(), third.close()]);
  free = 100 * 2 ** 20;
  assert.ok(!disk.hasRoom(1));
});

test("a folder that is gone has no room, and a file that cannot be opened fails whoever writes to it", async (t) => {
  const folder = join(folderOf(t), "gone");
  assert.equal(new CarDisk(folder).open(1), null);
  const disk = new CarDisk(folder, () => ({ free: GIBI, total: GIBI }));
  const file = disk.open(GIBI / 2)!;
  await assert.rejects(async () => file.write(Buffer.alloc(2_000_000)), { code: "ENOENT" });
  await assert.rejects(file.read(), { code: "ENOENT" });
  await assert.rejects(file.close(), { code: "ENOENT" });
  assert.ok(disk.hasRoom(GIBI / 2), "its space is free again");
});
