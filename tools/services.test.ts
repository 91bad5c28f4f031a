import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { installedPds } from "../test/atproto/real-pds/installed-pds.ts";
import { ensureServices, type Machine, type Service } from "./services.ts";

interface Heard {
  commands: string[];
  lines: string[];
  locks: string[];
}

/** A machine on which apt-get can install the `installable` packages. */
function machine(options: Partial<Machine>, installed: Set<string>, installable: string[]): [Machine, Heard] {
  const heard: Heard = { commands: [], lines: [], locks: [] };
  return [
    {
      canInstall: true,
      isCi: false,
      lock: () => {
        heard.locks.push("taken");
        return { release: () => heard.locks.push("released") };
      },
      log: (line) => heard.lines.push(line),
      run: async (command) => {
        heard.commands.push(command.join(" "));
        if (command[1] === "install") {
          for (const name of installable) if (command.includes(name)) installed.add(name);
        }
        return { exitCode: 0, output: "" };
      },
      ...options,
    },
    heard,
  ];
}

const service = (name: string, installed: Set<string>): Service => ({
  name,
  find: () => (installed.has(name) ? `/usr/bin/${name}` : null),
  from: "debian",
  package: name,
  neededBy: "some tests",
});

test("nothing is done when everything is installed", async () => {
  const installed = new Set(["a", "b"]);
  const [here, heard] = machine({}, installed, []);
  assert.equal(await ensureServices([service("a", installed), service("b", installed)], here), true);
  assert.deepEqual(heard, { commands: [], lines: [], locks: [] });
});

test("only what is missing is installed", async () => {
  const installed = new Set(["a"]);
  const [here, heard] = machine({ isCi: true }, installed, ["b"]);
  assert.equal(await ensureServices([service("a", installed), service("b", installed)], here), true);
  assert.deepEqual(heard.commands, ["apt-get update", "apt-get install -y --no-install-recommends b"]);
  assert.deepEqual(heard.locks, ["taken", "released"]);
});

test("a package that another run is installing is waited for, and not installed again", async () => {
  const installed = new Set<string>();
  const [here, heard] = machine({}, installed, []);
  const lock: Machine["lock"] = () => {
    installed.add("b");
    return here.lock();
  };
  assert.equal(await ensureServices([service("b", installed)], { ...here, lock }), true);
  assert.deepEqual(heard, { commands: [], lines: [], locks: ["taken", "released"] });
});

test("a missing package is a failure only in CI, and is reported by name", async () => {
  for (const isCi of [true, false]) {
    const installed = new Set<string>();
    const [here, heard] = machine({ isCi }, installed, []);
    assert.equal(await ensureServices([service("b", installed)], here), !isCi);
    assert.match(heard.lines.at(-1)!, /b is missing; some tests need it\. Debian: apt-get install b/);
  }
});

test("without root no Debian package is installed", async () => {
  const installed = new Set<string>();
  const [here, heard] = machine({ canInstall: false }, installed, ["b"]);
  assert.equal(await ensureServices([service("b", installed)], here), true);
  assert.deepEqual(heard.commands, []);
});

test("a failed update is reported, and nothing else is tried", async () => {
  const installed = new Set<string>();
  const tried: string[] = [];
  const [here, heard] = machine({}, installed, ["b"]);
  const run: Machine["run"] = async (command) => {
    tried.push(command[1]!);
    return { exitCode: 100, output: "no network" };
  };
  assert.equal(await ensureServices([service("b", installed)], { ...here, run }), true);
  assert.deepEqual(tried, ["update"]);
  assert.match(heard.lines.join("\n"), /no network/);
});

test("an npm package is installed without changing the lockfile", async () => {
  const installed = new Set<string>();
  const [here, heard] = machine({ isCi: true }, installed, ["c"]);
  assert.equal(await ensureServices([{ ...service("c", installed), from: "npm" }], here), true);
  assert.deepEqual(heard.commands, ["npm install --no-save --ignore-scripts c"]);
});

test("an npm package with its own folder is copied afresh and installed there, even without root", async (t) => {
  const base = mkdtempSync(join(tmpdir(), "trawl-services-"));
  t.after(() => rmSync(base, { recursive: true }));
  const [manifest, folder] = [join(base, "manifest"), join(base, "cache/here")];
  for (const [path, text] of [
    [manifest, "new"],
    [folder, "old"],
  ] as const) {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "package.json"), text);
  }
  writeFileSync(join(folder, "broken-off"), "");
  const installed = new Set<string>();
  const [here, heard] = machine({ canInstall: false, isCi: true }, installed, [folder]);
  const apart: Service = { ...service(folder, installed), from: "npm", package: "d", apart: { manifest, folder } };
  // Another failure must not hold it up.
  const run: Machine["run"] = (command, options) =>
    command.includes("c") ? Promise.resolve({ exitCode: 1, output: "no network" }) : here.run(command, options);
  assert.equal(await ensureServices([{ ...service("c", installed), from: "npm" }, apart], { ...here, run }), false);
  assert.deepEqual(heard.commands, [`npm install --prefix ${folder}`]);
  assert.deepEqual(readdirSync(folder), ["package.json"]);
  assert.equal(readFileSync(join(folder, "package.json"), "utf8"), "new");
  assert.match(heard.lines.at(-1)!, /^c is missing; some tests need it\. npm install --no-save c$/);
  assert.equal(await ensureServices([apart], here), true);
});

test("the real PDS counts as installed when its installation is complete and of the listed version", (t) => {
  const base = mkdtempSync(join(tmpdir(), "trawl-services-"));
  t.after(() => rmSync(base, { recursive: true }));
  const [manifest, folder] = [join(base, "manifest"), join(base, "here")];
  mkdirSync(manifest);
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const path of [manifest, folder]) writeFileSync(join(path, "package.json"), "1");
  assert.equal(installedPds({ manifest, folder }), null, "npm is not through");
  writeFileSync(join(folder, "node_modules/.package-lock.json"), "{}");
  assert.equal(installedPds({ manifest, folder }), folder);
  writeFileSync(join(manifest, "package.json"), "2");
  assert.equal(installedPds({ manifest, folder }), null);
});
