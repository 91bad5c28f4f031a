import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { salvageFolder } from "../repair/repair-segments.ts";
import { verifySegment } from "../repair/verify-segments.ts";
import { collect, completedDids, noDamage, sampleRepo, temporaryFolder, writeSegment } from "../testing/samples.ts";

const WRITER = fileURLToPath(new URL("../testing/write-forever.ts", import.meta.url));

/** The DIDs that a writer called durable before it was killed. */
async function writeUntilKilled(folder: string, name: string, lines: number): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, folder, name], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  const durable: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    durable.push(line);
    if (durable.length === lines) child.kill("SIGKILL");
  }
  assert.deepEqual(await exit, [null, "SIGKILL"]);
  assert.ok(durable.length >= lines);
  return durable;
}

test("two processes write into one folder and are killed: all that was durable is there", async (t) => {
  const folder = await temporaryFolder(t);
  const durable = await Promise.all([writeUntilKilled(folder, "one", 150), writeUntilKilled(folder, "two", 97)]);
  const salvaged = await salvageFolder(folder, ({ torn }) => assert.ok(torn));
  assert.ok(salvaged.every(({ action }) => action === "finished" || action === "removed"));
  // The dead writers' locks keep nobody out.
  await writeSegment(folder, [sampleRepo("did:plc:after")]);
  const names = await readdir(folder);
  assert.ok(
    names.every((name) => /^segment_\d{4}\.(rca|lock)$/.test(name)),
    names.join(),
  );
  const dids = new Set(await collect(completedDids(folder, noDamage)));
  for (const did of durable.flat()) assert.ok(dids.has(did), did);
  for (const name of names.filter((each) => each.endsWith(".rca"))) {
    const { problems } = await verifySegment(join(folder, name), { proofs: false, onDamage: noDamage });
    assert.equal(problems, 0);
  }
});
