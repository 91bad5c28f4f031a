/** What `replaceFile`, `AppendFile` and `GroupWriter` promise, on every state that a power cut could leave. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { AppendFile } from "./append-file.ts";
import { replaceFile } from "./durable.ts";
import type { OpenFile } from "./file-system.ts";
import { GroupWriter } from "./group-writer.ts";
import { assertCrashSafe, replayCrashes } from "./testing/replay-crashes.ts";

const read = (path: string): string | null => (existsSync(path) ? readFileSync(path, "utf8") : null);

test("replaceFile: the old contents or the new, and the new once it resolved", async (t) => {
  const { states, syncs } = await assertCrashSafe<string>(t, {
    async work({ folder, fs, promise }) {
      for (const text of ["first", "second", "third"]) {
        await replaceFile(join(folder, "a/b/file"), (handle) => handle.writeFile(text), { fs });
        promise(text);
      }
    },
    async recover({ folder, promised }) {
      const contents = [null, "first", "second", "third"];
      const at = contents.indexOf(read(join(folder, "a/b/file")));
      assert.ok(at >= promised.length, "neither what was promised nor anything newer");
    },
  });
  assert.ok(states > 20, `${states} states`);
  assert.equal(syncs, 4, "two folders, the file, its name");
});

test("AppendFile: what was appended is there, and what was cut off stays away", async (t) => {
  await assertCrashSafe<string>(t, {
    prepare: (folder) => writeFile(join(folder, "old"), "kept;dropped;"),
    async work({ folder, fs, promise }) {
      const old = await AppendFile.open(join(folder, "old"), fs);
      await old.truncate(5);
      promise("old:kept;");
      await old.append(Buffer.from("more;"));
      promise("old:kept;more;");
      const file = await AppendFile.open(join(folder, "new/file"), fs);
      await Promise.all([file.append(Buffer.from("one;")), file.append(Buffer.from("two;"))]);
      promise("new/file:one;two;");
      await file.append(Buffer.from("three;"));
      await file.close();
      await old.close();
      promise("new/file:one;two;three;");
    },
    async recover({ folder, promised }) {
      for (const each of promised) {
        const [name, text] = each.split(":") as [string, string];
        const found = read(join(folder, name));
        assert.ok(found?.startsWith(text), `${name} holds ${found}`);
        assert.ok(!found!.includes("dropped"), "what was cut off is back");
      }
    },
  });
});

test("GroupWriter: each file whole, under its name, when its write resolved", async (t) => {
  await assertCrashSafe<string>(t, {
    async work({ folder, fs, promise }) {
      const writer = new GroupWriter(fs);
      fs.ensureFolder(join(folder, "shard"));
      const write = async (name: string, text: string) => {
        const path = join(folder, "shard", name);
        await writer.write(path, Buffer.from(text), 0o644, [dirname(path), folder]);
        promise(name);
      };
      await Promise.all([write("a", "contents of a"), write("b", "contents of b")]);
      await write("c", "contents of c");
    },
    async recover({ folder, promised }) {
      for (const name of ["a", "b", "c"]) {
        const found = read(join(folder, "shard", name));
        if (promised.includes(name)) assert.notEqual(found, null, `${name} is missing`);
        if (found !== null) assert.equal(found, `contents of ${name}`);
      }
    },
  });
});

test("the recorder reports a sync that is not needed, and a promise made before its sync", async (t) => {
  const again = (handle: OpenFile) => handle.sync();
  const work = async (isTooEarly: boolean) =>
    replayCrashes<string>(t, {
      prepare: (folder) => writeFile(join(folder, "file"), ""),
      async work({ folder, fs, promise }) {
        const handle = await fs.open(join(folder, "file"), "r+");
        await handle.writeFile("x");
        if (isTooEarly) promise("x");
        await handle.sync();
        if (!isTooEarly) promise("x");
        await again(handle);
        await handle.close();
      },
      async recover({ folder, promised }) {
        if (promised.length > 0) assert.equal(read(join(folder, "file")), "x");
      },
    });
  const { unnoticed } = await work(false);
  assert.deepEqual(unnoticed, ["sync file (again in crash.test.ts)"]);
  await assert.rejects(work(true), /A power cut breaks a promise after operation 2/);
});

test("the recorder tells two syncs of one file in one function apart, and not two passes through one line", async (t) => {
  const { unnoticed, syncs } = await replayCrashes<string>(t, {
    prepare: (folder) => writeFile(join(folder, "file"), ""),
    async work({ folder, fs, promise }) {
      const handle = await fs.open(join(folder, "file"), "r+");
      await handle.writeFile("x");
      await handle.sync();
      promise("x");
      for (let pass = 0; pass < 2; pass++) await handle.sync();
      await handle.close();
    },
    async recover({ folder, promised }) {
      if (promised.length > 0) assert.equal(read(join(folder, "file")), "x");
    },
  });
  assert.equal(syncs, 2);
  assert.deepEqual(unnoticed, ["sync file (Object.work in crash.test.ts), place 2"]);
});
