import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import type { Installation } from "./installation.ts";
import type { RunNpm } from "./npm.ts";
import { temporaryHome } from "./testing/small-site.ts";
import { isNewer, Updates } from "./updates.ts";

const DAY = 24 * 60 * 60_000;

const CHECKOUT: Installation = { root: "/src/trawl", installedBy: "checkout", command: "git pull", npmArguments: null };
const HOW = { installedBy: "checkout", command: "git pull", canInstall: false };

interface Over {
  isOff?: boolean;
  root?: string;
  installation?: Installation;
}

function updates(t: TestContext, runNpm: RunNpm, over: Over = {}) {
  const time = { now: 1_000_000 };
  const clock = { now: () => time.now, after: () => () => {} };
  const root = over.root ?? temporaryHome(t).root;
  return {
    time,
    root,
    updates: new Updates({ version: "0.1.0", isOff: false, installation: CHECKOUT, clock, runNpm, ...over, root }),
  };
}

test("updates: npm is asked once a day, by name", async (t) => {
  const asked: string[][] = [];
  const { updates: checked, time } = updates(t, async (args) => {
    asked.push(args);
    return `"0.${asked.length}.5"\n`;
  });
  const answer = { current: "0.1.0", latest: "0.1.5", isNewer: true, isOff: false, problem: null, ...HOW };
  const both = await Promise.all([checked.check(), checked.check()]);
  assert.deepEqual(both, [answer, answer]);
  time.now += DAY - 1;
  assert.deepEqual(await checked.check(), answer);
  assert.deepEqual(asked, [["view", "trawl", "version", "--json"]]);
  time.now += 1;
  assert.equal((await checked.check()).latest, "0.2.5");
});

test("updates: a failure is reported with npm's reason, and npm is asked again after an hour", async (t) => {
  let works = false;
  const { updates: checked, time } = updates(t, async () => {
    if (works) return '"0.1.0"';
    throw new Error("npm error code ENOTFOUND\nnpm error network");
  });
  const failed = await checked.check();
  assert.deepEqual([failed.latest, failed.isNewer], [null, false]);
  assert.match(failed.problem!, /^npm could not say what the newest version is: npm error code ENOTFOUND$/);
  works = true;
  assert.equal((await checked.check()).latest, null);
  time.now += 60 * 60_000;
  assert.deepEqual(await checked.check(), {
    current: "0.1.0",
    latest: "0.1.0",
    isNewer: false,
    isOff: false,
    problem: null,
    ...HOW,
  });
});

test("updates: anything that is not a version is ignored", async (t) => {
  for (const printed of ["", "{}", '"<b>"', "null", '["1.0.0"]']) {
    const { latest, problem } = await updates(t, async () => printed).updates.check();
    assert.equal(latest, null, printed);
    assert.ok(problem);
  }
});

test("updates: switched off, npm is not asked", async (t) => {
  const { updates: checked } = updates(t, () => assert.fail("asked"), { isOff: true });
  assert.deepEqual(await checked.check(), {
    current: "0.1.0",
    latest: null,
    isNewer: false,
    isOff: true,
    problem: null,
    ...HOW,
  });
});

test("updates: on request npm is asked at once, even if the check is off", async (t) => {
  let asked = 0;
  const { updates: checked } = updates(t, async () => `"0.1.${++asked}"`, { isOff: true });
  assert.deepEqual(
    [(await checked.checkNow()).latest, await checked.checkNow()],
    ["0.1.1", { current: "0.1.0", latest: "0.1.2", isNewer: true, isOff: false, problem: null, ...HOW }],
  );
});

test("updates: what npm installed is read from the package itself", async (t) => {
  const { root } = temporaryHome(t);
  const installation = { ...CHECKOUT, root, npmArguments: ["install", "trawl@latest"] };
  const install = (version: string | null) =>
    updates(
      t,
      async (args) => {
        assert.deepEqual(args, installation.npmArguments);
        if (version === null) throw new Error("EACCES: permission denied");
        writeFileSync(join(root, "package.json"), JSON.stringify({ version }));
        return "{}";
      },
      { installation },
    ).updates.install();
  await assert.rejects(install(null), {
    code: "UPDATE_FAILED",
    message: /could not install.*EACCES: permission denied/,
  });
  await assert.rejects(install("0.1.0"), {
    code: "UPDATE_FAILED",
    message: /success, but .* still has version 0\.1\.0/,
  });
  assert.equal(await install("0.2.0"), "0.2.0");
  await assert.rejects(updates(t, () => assert.fail("asked")).updates.install(), {
    code: "BAD_USAGE",
    hint: "Run `git pull`.",
  });
});

test("updates: two windows that ask at once share one npm", async (t) => {
  const { root } = temporaryHome(t);
  let runs = 0;
  const { updates: shared } = updates(
    t,
    async () => {
      writeFileSync(join(root, "package.json"), JSON.stringify({ version: `0.${++runs + 1}.0` }));
      return "{}";
    },
    { installation: { ...CHECKOUT, root, npmArguments: ["install"] } },
  );
  assert.deepEqual(await Promise.all([shared.install(), shared.install()]), ["0.2.0", "0.2.0"]);
  assert.equal(await shared.install(), "0.3.0");
});

test("updates: a stored answer that is cut short is requested again", async (t) => {
  const { updates: checked, root } = updates(t, async () => '"9.0.0"');
  const path = join(root, "update-check.json");
  writeFileSync(path, '{"askedAt":10');
  assert.equal((await checked.check()).latest, "9.0.0");
  assert.equal(JSON.parse(readFileSync(path, "utf8")).latest, "9.0.0");
});

/** The row that semver.org gives, and then some: each is newer than the one before. */
const ROW = [
  "0.1.0",
  "0.1.9",
  "0.1.10",
  "0.2.0-rc.1",
  "0.2.0",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.0.1",
  "1.10.0",
  "2.0.0",
  "10.0.0",
];

test("versions: the order of semantic versioning, in both directions", async () => {
  for (const [earlier, one] of ROW.entries()) {
    for (const [later, other] of ROW.entries()) {
      assert.equal(await isNewer(other, one), later > earlier, `${other} after ${one}`);
    }
  }
});

test("versions: a build of the same source is not newer", async () => {
  assert.equal(await isNewer("1.0.0+build.2", "1.0.0+build.1"), false);
  assert.equal(await isNewer("v1.0.1", "1.0.0"), true);
});

test("versions: never both newer, whatever the text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (one, other) => {
      assert.ok(!((await isNewer(one, other)) && (await isNewer(other, one))));
    }),
  );
});
