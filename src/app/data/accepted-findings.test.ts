/** The file of accepted findings: what is written can be read, comments stay, and mistakes are named. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type Acceptance, acceptanceKey } from "../../site/audit/acceptances.ts";
import { addAcceptance, type ChangedFile, readAcceptances, removeAcceptance } from "./accepted-findings.ts";

function temporaryFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-accepted-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "projects", "findings.yaml");
}

const changed = (path: string): ChangedFile => ({ path, lock: join(dirname(dirname(path)), "accepted.lock") });

const entry = (fields: Partial<Acceptance> = {}): Acceptance => ({
  ...{ action: "accept", rule: "title.missing", url: null, evidence: null, pattern: null },
  ...{ reason: "a legacy part: it goes in spring", until: "2027-01-31", since: "2026-11-18" },
  ...fields,
});

describe("the file of accepted findings", () => {
  it("gives back what was added, and keeps comments", async (t) => {
    const path = temporaryFile(t);
    assert.deepEqual(readAcceptances(path), []);
    const one = entry({ url: "https://site.test/a?b=#c", action: "ignore", until: null });
    await addAcceptance(changed(path), one);
    await addAcceptance(changed(path), entry({ pattern: "/blog/*" }));
    writeFileSync(path, readFileSync(path, "utf8").replace("pattern: /blog/*", "pattern: /blog/* # until the move"));
    await addAcceptance(changed(path), entry());
    assert.deepEqual(readAcceptances(path), [one, entry({ pattern: "/blog/*" }), entry()]);
    assert.match(readFileSync(path, "utf8"), /# until the move/);
    await addAcceptance(changed(path), { ...one, reason: "another reason" });
    assert.equal(readAcceptances(path).length, 3);
    assert.equal(await removeAcceptance(changed(path), acceptanceKey(one)), true);
    assert.equal(await removeAcceptance(changed(path), acceptanceKey(one)), false);
    assert.deepEqual(readAcceptances(path), [entry({ pattern: "/blog/*" }), entry()]);
  });

  it("names what is wrong with an entry", async (t) => {
    const path = temporaryFile(t);
    await addAcceptance(changed(path), entry());
    const cases: [text: string, problem: RegExp][] = [
      ["- rule: title.missing", /entry 1 must have accept or ignore/],
      ["- {rule: title.mising, accept: known}", /title\.mising.*title\.missing/],
      ["- {rule: title.missing, accept: known, until: soon}", /until must be a day/],
      ["- {rule: title.missing, accept: known, untill: 2027-01-31}", /untill is not one of/],
      ["- {rule: title.missing, accept: ''}", /reason/],
      ["- {rule: title.missing, ignore: x, url: https://a.test/, pattern: '*'}", /both url and pattern/],
    ];
    for (const [text, problem] of cases) {
      writeFileSync(path, `findings:\n${text}\n`);
      assert.throws(() => readAcceptances(path), problem, text);
    }
  });

  it("has all that were added and removed at the same time", async (t) => {
    const path = temporaryFile(t);
    const urls = Array.from({ length: 40 }, (_, index) => entry({ url: `https://site.test/${index}` }));
    await Promise.all(urls.map((each) => addAcceptance(changed(path), each)));
    assert.deepEqual(readAcceptances(path), urls);
    await Promise.all(urls.slice(0, 20).map((each) => removeAcceptance(changed(path), acceptanceKey(each))));
    assert.deepEqual(readAcceptances(path), urls.slice(20));
  });

  it("has all that processes added at the same time", async (t) => {
    const path = temporaryFile(t);
    const { lock } = changed(path);
    const script = `const { addAcceptance } = await import(${JSON.stringify(import.meta.resolve("./accepted-findings.ts"))});
      const [path, lock, name] = process.argv.slice(1);
      const none = { evidence: null, pattern: null, until: null, since: null };
      process.send("ready");
      process.once("message", async () => {
        for (let n = 0; n < 10; n++) {
          const url = "https://site.test/" + name + n;
          await addAcceptance({ path, lock }, { action: "accept", rule: "title.missing", url, reason: "known", ...none });
        }
        process.disconnect();
      });`;
    const children = ["a", "b", "c"].map((name) =>
      spawn(process.execPath, ["--input-type=module", "-e", script, path, lock, name], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      }),
    );
    await Promise.all(children.map((child) => once(child, "message")));
    const ended = children.map((child) => once(child, "exit"));
    for (const child of children) child.send("go");
    assert.deepEqual((await Promise.all(ended)).flat(), [0, null, 0, null, 0, null]);
    assert.equal(readAcceptances(path).length, 30);
  });

  it("is read again when it was edited", async (t) => {
    const path = temporaryFile(t);
    await addAcceptance(changed(path), entry());
    assert.equal(readAcceptances(path).length, 1);
    writeFileSync(path, "findings: []\n");
    assert.deepEqual(readAcceptances(path), []);
    rmSync(path);
    assert.deepEqual(readAcceptances(path), []);
  });

  it("takes no more than a server can read while others wait", async (t) => {
    const path = temporaryFile(t);
    await addAcceptance(changed(path), entry());
    const lines = Array.from({ length: 1_000 }, (_, index) => `- {rule: title.missing, url: /${index}, accept: x}`);
    writeFileSync(path, `findings:\n${lines.join("\n")}\n`);
    assert.equal(readAcceptances(path).length, 1_000, "whoever edits it has no limit");
    await assert.rejects(addAcceptance(changed(path), entry()), { code: "BAD_USAGE" });
    writeFileSync(path, "findings: []\n");
    const large = (index: number) => addAcceptance(changed(path), entry({ pattern: `/${index}[a-z]{1,900}/` }));
    let added = 0;
    await assert.rejects(async () => {
      for (; added < 100; added++) await large(added);
    }, /too large together/);
    assert.ok(added > 2 && added < 60, `${added}`);
    await addAcceptance(changed(path), entry({ pattern: "/blog/*" }));
  });
});
