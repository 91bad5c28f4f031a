import assert from "node:assert/strict";
import { test } from "node:test";
import { type Installation, installationOf } from "./installation.ts";

interface Case {
  root: string;
  files?: Record<string, string>;
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

function decide({ root, files = {}, env = {}, platform = "linux" }: Case): Installation {
  return installationOf(root, {
    platform,
    env,
    exists: (path) => path in files,
    readText: (path) => files[path] ?? assert.fail(`no ${path}`),
  });
}

const uses = (kind: string) => JSON.stringify({ [kind]: { trawl: "^0.1.0" } });
const IN_DOCKER = { "/.dockerenv": "" };

test("installation: npm's global packages, of whichever Node", () => {
  for (const prefix of ["/usr", "/usr/local", "/home/ann/.nvm/versions/node/v24.1.0", "/home/ann/my tools"]) {
    const { installedBy, command, npmArguments } = decide({ root: `${prefix}/lib/node_modules/trawl` });
    assert.deepEqual([installedBy, command], ["npm-global", "npm install --global trawl@latest"]);
    assert.deepEqual(npmArguments!.slice(0, 4), ["install", "--global", "--prefix", prefix]);
    assert.equal(npmArguments!.at(-1), "trawl@latest");
  }
  const windows = decide({ root: "C:\\Users\\Ann B\\AppData\\Roaming\\npm\\node_modules\\trawl", platform: "win32" });
  assert.equal(windows.installedBy, "npm-global");
  assert.equal(windows.npmArguments![3], "C:\\Users\\Ann B\\AppData\\Roaming\\npm");
});

test("installation: a dependency that the project names, of any kind", () => {
  for (const kind of ["dependencies", "devDependencies", "optionalDependencies"]) {
    for (const folder of ["/home/ann/site", "/home/ann/lib"]) {
      const files = { [`${folder}/package.json`]: uses(kind), ...IN_DOCKER };
      const { installedBy, command, npmArguments } = decide({ root: `${folder}/node_modules/trawl`, files });
      assert.deepEqual([installedBy, command], ["npm-local", "npm install trawl@latest"]);
      assert.deepEqual(npmArguments!.slice(0, 3), ["install", "--prefix", folder]);
    }
  }
  const files = { "D:\\site\\package.json": uses("dependencies") };
  assert.equal(decide({ root: "D:\\site\\node_modules\\trawl", files, platform: "win32" }).installedBy, "npm-local");
});

test("installation: npx, a checkout and a worktree are updated by hand", () => {
  const npx = "/home/ann/.npm/_npx/0123abcd";
  const files = { [`${npx}/package.json`]: uses("dependencies"), "/home/ann/trawl/.git": "", ...IN_DOCKER };
  const byHand = (root: string) => {
    const { installedBy, command, npmArguments } = decide({ root, files });
    return [installedBy, command, npmArguments];
  };
  assert.deepEqual(byHand(`${npx}/node_modules/trawl`), ["npx", "npx trawl@latest", null]);
  assert.deepEqual(byHand("/home/ann/trawl"), ["checkout", "git pull && npm ci", null]);
});

test("installation: in a container, the image has to be updated", () => {
  for (const over of [
    { files: IN_DOCKER },
    { env: { container: "podman" } },
    { env: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } },
  ]) {
    for (const root of ["/usr/local/lib/node_modules/trawl", "/app"]) {
      const { installedBy, command, npmArguments } = decide({ root, ...over });
      assert.deepEqual([installedBy, command, npmArguments], ["container", "docker pull <image>", null]);
    }
  }
});

test("installation: npm is kept away from what it did not install", () => {
  const project = { "/p/package.json": uses("dependencies") };
  const cases: Case[] = [
    { root: "/opt/trawl" },
    { root: "/p/node_modules/trawl" },
    { root: "/p/node_modules/trawl", files: { "/p/package.json": "{}" } },
    { root: "/p/node_modules/trawl", files: { "/p/package.json": "{" } },
    { root: "/p/lib/node_modules/trawl", files: { "/p/lib/package.json": "{}" } },
    { root: "/p/node_modules/a/node_modules/trawl", files: { "/p/node_modules/a/package.json": uses("dependencies") } },
    { root: "/usr/lib/node_modules/a/node_modules/trawl" },
    { root: "/p/node_modules/.pnpm/trawl@0.1.0/node_modules/trawl", files: project },
    ...["pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"].map((lock) => ({
      root: "/p/node_modules/trawl",
      files: { ...project, [`/p/${lock}`]: "" },
    })),
  ];
  for (const one of cases) {
    const { installedBy, command, npmArguments } = decide(one);
    assert.deepEqual([installedBy, command, npmArguments], ["other", null, null], JSON.stringify(one));
  }
});
