/** `trawl update` with the real npm, a registry on loopback, and projects and prefixes in temporary folders. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { type Installation, installationOf } from "../../src/app/installation.ts";
import { temporaryHome } from "../../src/app/testing/small-site.ts";
import { temporaryApp } from "../../src/app/testing/temporary-app.ts";
import { version } from "../../src/transports/cli/cli.ts";
import { update } from "../../src/transports/cli/commands/update.ts";
import { Terminal } from "../../src/transports/cli/output/terminal.ts";
import { jsonLines, Trawl } from "./trawl.ts";

const NEW = "9.9.9";

/** Serves one version of the package `trawl`; npm in this process and its children uses it, and nothing else. */
async function registry(t: TestContext, published: string): Promise<{ paths: string[]; close(): void }> {
  const { root } = temporaryHome(t);
  const tarball = packed(root, published);
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url!);
    if (request.url === "/trawl.tgz") return response.end(tarball);
    if (request.url !== "/trawl") return response.writeHead(404).end("{}");
    const dist = {
      tarball: `http://${request.headers.host}/trawl.tgz`,
      integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
    };
    const versions = { [published]: { name: "trawl", version: published, dist } };
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ name: "trawl", "dist-tags": { latest: published }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  t.after(close);
  const settings = {
    npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    npm_config_cache: join(root, "cache"),
    npm_config_userconfig: join(root, "npmrc"),
    npm_config_fetch_retries: "0",
    TRAWL_NO_UPDATE_CHECK: "1",
  };
  Object.assign(process.env, settings);
  return { paths, close };
}

function packed(folder: string, published: string): Buffer {
  writePackage(join(folder, "package"), published);
  execFileSync("tar", ["-czf", join(folder, "trawl.tgz"), "-C", folder, "package"]);
  return readFileSync(join(folder, "trawl.tgz"));
}

function writePackage(folder: string, itsVersion: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "trawl", version: itsVersion }));
}

/** The program itself, which is in a checkout here. */
function trawl(t: TestContext): Trawl {
  const program = new Trawl();
  t.after(() => program.remove());
  return program;
}

/** The command on another installation, without a terminal. */
async function updateOf(
  t: TestContext,
  installation: Installation,
  options: { yes?: true; check?: true; json?: true },
) {
  const { app } = temporaryApp(t, { version: "0.1.0", installation: () => installation });
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const printed = text(streams.stdout);
  try {
    await update({ terminal: new Terminal(streams, {}), env: {}, exitCode: 0 }, app, options);
  } finally {
    streams.stdout.end();
  }
  return printed;
}

const installedVersion = (root: string) => JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;

function project(t: TestContext): { folder: string; installation: Installation } {
  const folder = join(temporaryHome(t).root, "my project");
  const root = join(folder, "node_modules", "trawl");
  writePackage(root, "0.1.0");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ devDependencies: { trawl: "^0.1.0" } }));
  return { folder, installation: installationOf(root) };
}

test("update: up to date", async (t) => {
  const { paths } = await registry(t, version());
  const { code, stdout } = await trawl(t).run("update");
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^Trawl ${version()}, a Git checkout: /.+\nThere is no newer version\\.`));
  assert.deepEqual(paths, ["/trawl"]);
});

test("update: a newer version for a checkout is named, with what updates it", async (t) => {
  const { paths } = await registry(t, NEW);
  const program = trawl(t);
  for (const flags of [[], ["--check"], ["--yes"]]) {
    const { code, stdout } = await program.run("update", ...flags);
    assert.equal(code, 0);
    assert.match(stdout, /\nTrawl 9\.9\.9 is available\. This updates it:\n {2}git pull && npm ci\n$/);
  }
  const { code, stdout } = await program.run("update", "--json");
  assert.equal(code, 0);
  assert.deepEqual(jsonLines(stdout), [
    {
      current: version(),
      latest: NEW,
      isNewer: true,
      isOff: false,
      problem: null,
      installedBy: "checkout",
      command: "git pull && npm ci",
      canInstall: false,
      updatedTo: null,
    },
  ]);
  assert.ok(!paths.includes("/trawl.tgz"));
});

test("update: a registry that cannot be reached is an error, not 'up to date'", async (t) => {
  (await registry(t, NEW)).close();
  const program = trawl(t);
  const { code, stdout, stderr } = await program.run("update", "--check");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^error: npm could not say what the newest version is: .*ECONNREFUSED/);
  const json = await program.json("update");
  assert.deepEqual([json.code, json.lines[0]!["code"]], [1, "UPDATE_CHECK_FAILED"]);
});

test("update: npm updates the dependency of a project, and keeps its kind", async (t) => {
  const { paths } = await registry(t, NEW);
  const { folder, installation } = project(t);
  assert.equal(installation.installedBy, "npm-local");
  await updateOf(t, installation, { check: true });
  await assert.rejects(updateOf(t, installation, {}), { code: "BAD_USAGE" });
  assert.equal(installedVersion(installation.root), "0.1.0");
  assert.match(await updateOf(t, installation, { yes: true }), /npm install trawl@latest\nUpdated to Trawl 9\.9\.9\./);
  assert.equal(installedVersion(installation.root), NEW);
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  assert.deepEqual([dependencies, devDependencies], [undefined, { trawl: "^9.9.9" }]);
  assert.deepEqual([...new Set(paths)].sort(), ["/trawl", "/trawl.tgz"]);
});

test("update: npm updates the global prefix that Trawl is in", async (t) => {
  await registry(t, NEW);
  const root = join(temporaryHome(t).root, "my prefix", "lib", "node_modules", "trawl");
  writePackage(root, "0.1.0");
  const installation = installationOf(root, {
    platform: "linux",
    env: {},
    exists: () => false,
    readText: () => assert.fail("there is nothing to read"),
  });
  const [line] = jsonLines(await updateOf(t, installation, { yes: true, json: true }));
  assert.deepEqual([line!["installedBy"], line!["updatedTo"]], ["npm-global", NEW]);
  assert.equal(installedVersion(root), NEW);
});

test("update: what npm says when it fails is shown, and nothing is called updated", async (t) => {
  await registry(t, NEW);
  const { folder, installation } = project(t);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ dependencies: { trawl: "^0.1.0", "not-published": "1.0.0" } }),
  );
  await assert.rejects(updateOf(t, installation, { yes: true }), {
    code: "UPDATE_FAILED",
    exit: 1,
    message: /^npm could not install the new version: .*not-published/s,
  });
  assert.equal(installedVersion(installation.root), "0.1.0");
});
