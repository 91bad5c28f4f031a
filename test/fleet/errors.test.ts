/** What goes wrong before a fleet crawls: each problem is named, with what to do about it, and no password is shown. */
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { Connection } from "../../src/fleet/postgres/connection.ts";
import { oldPostgres } from "../../src/fleet/testing/old-postgres.ts";
import { GUARDED, inspect, NO_POSTGRES, TestPostgres } from "../../src/fleet/testing/postgres-server.ts";
import { Trawl } from "../cli/trawl.ts";

const postgres = await TestPostgres.start();
const trawl = new Trawl();
after(async () => {
  trawl.remove();
  await postgres?.stop();
});
const PASSWORD = "swordfish,comma";

/** The error of a command as people see it; checks that it is not a stack trace and shows no password. */
async function failure(code: number, ...typed: string[]): Promise<string> {
  const ended = await trawl.run("fleet", ...typed);
  assert.equal(ended.code, code, ended.stderr || ended.stdout);
  assert.doesNotMatch(ended.stderr, /\n {4}at |swordfish/);
  return ended.stderr;
}

describe("errors of a fleet", { skip: postgres === null && NO_POSTGRES }, () => {
  const at = (url = postgres!.url) => ["--postgres", url];
  const start = (name: string, ...more: string[]) =>
    trawl.run("fleet", "start", name, "http://127.0.0.1:1/", ...at(), ...more);

  it("no server, no database, no address", async () => {
    assert.match(
      await failure(1, "list", ...at("postgres://trawl@127.0.0.1:1/x")),
      /PostgreSQL at 127\.0\.0\.1:1\/x: .*ECONNREFUSED/,
    );
    assert.match(
      await failure(1, "work", "web1", ...at("postgres://trawl@127.0.0.1:1/x")),
      /Check that the server is running/,
    );
    const two = await failure(1, "list", ...at("postgres://a@127.0.0.1:1/x,postgres://a@127.0.0.1:2/x"));
    assert.match(two, /127\.0\.0\.1:1\/x: .*; 127\.0\.0\.1:2\/x: /, "each server with its problem");
    assert.match(
      await failure(1, "list", ...at(postgres!.url.replace(/postgres$/, "nothing"))),
      /database "nothing" does not exist[\s\S]*createdb/,
    );
    assert.match(await failure(2, "list"), /TRAWL_POSTGRES/);
    assert.match(await failure(2, "list", ...at("mysql://x")), /postgres:\/\/user@host\/database/);
    assert.match(await failure(2, "list", ...at("postgres://[x/y")), /postgres:\/\/user@host\/database/);
  });

  it("passwords come from the environment or ~/.pgpass, and never from the command line", async () => {
    const connection = inspect(postgres!);
    await connection.query(`CREATE ROLE ${GUARDED} LOGIN PASSWORD '${PASSWORD}'`);
    await connection.close();
    const { port } = postgres!;
    const guarded = `postgres://${GUARDED}@127.0.0.1:${port}/postgres`;
    for (const typed of [
      `postgres://${GUARDED}:${PASSWORD}@127.0.0.1:${port}/postgres`,
      `${guarded}?password=${PASSWORD}`,
    ]) {
      assert.match(await failure(2, "list", ...at(typed)), /with `ps`[\s\S]*PGPASSWORD/);
    }
    assert.match(await failure(1, "list", ...at(guarded)), /asks for a password, and none was given/);
    const withEnvironment = async (environment: Record<string, string>, ...typed: string[]) => {
      Object.assign(process.env, environment);
      try {
        return await trawl.run("fleet", ...typed);
      } finally {
        for (const name of Object.keys(environment)) delete process.env[name];
      }
    };
    const wrong = await withEnvironment({ PGPASSWORD: "trout" }, "list", ...at(guarded));
    assert.deepEqual(
      [wrong.code, /password authentication failed for user "guarded"[\s\S]*PGPASSWORD/.test(wrong.stderr)],
      [1, true],
      wrong.stderr,
    );
    const file = join(trawl.folder, "pgpass");
    writeFileSync(file, `127.0.0.1:${port}:*:${GUARDED}:${PASSWORD}\n`);
    chmodSync(file, 0o600);
    const places: Record<string, string>[] = [
      { PGPASSWORD: PASSWORD },
      { PGPASSFILE: file },
      { TRAWL_POSTGRES: `postgres://${GUARDED}:${PASSWORD}@127.0.0.1:${port}/postgres` },
    ];
    for (const environment of places) {
      const typed = "TRAWL_POSTGRES" in environment ? [] : at(guarded);
      const { code, stdout, stderr } = await withEnvironment(environment, "list", ...typed);
      assert.deepEqual([code, stdout], [0, "No crawls.\n"], stderr);
    }
    const forbidden = await withEnvironment(
      { PGPASSWORD: PASSWORD },
      "start",
      "web9",
      "http://127.0.0.1:1/",
      ...at(guarded),
    );
    assert.match(forbidden.stderr, /permission denied for database postgres[\s\S]*GRANT CREATE ON DATABASE/);
  });

  it("an old server, and one that is only read", async () => {
    const old = await oldPostgres(140_012);
    assert.match(await failure(1, "list", ...at(old.url)), /it is PostgreSQL 14, and a fleet needs 15 or newer/);
    old.close();
    const standby = await postgres!.standby(false);
    assert.match(await failure(1, "list", ...at(standby.url)), /it can only be read: it is a standby/);
    const { code, stderr } = await trawl.run("fleet", "list", ...at(`${standby.url},${postgres!.url}`));
    assert.equal(code, 0, stderr);
    await standby.stop();
  });

  it("a name that is unknown, taken, or cannot be one", async () => {
    assert.match(await failure(2, "work", "nobody", ...at()), /no fleet crawl named nobody[\s\S]*trawl fleet list/);
    assert.equal((await start("web1")).code, 0);
    assert.match((await start("web1")).stderr, /There is a fleet crawl named web1 already/);
    assert.match((await start("Web 1")).stderr, /cannot be the name of a fleet crawl/);
    assert.match(await failure(2, "pull", "web2", ...at()), /no fleet crawl named web2/);
    assert.match(await failure(2, "pull", "web1", "--host", "other.example", ...at()), /has no page of other\.example/);
    assert.match(await failure(2, "rm", "web1", ...at()), /pass --yes/);
  });

  it("a crawl of another version is named, does not hide the others, and can be deleted", async () => {
    assert.equal((await start("future")).code, 0);
    const connection = new Connection([postgres!.url]);
    await connection.query(`UPDATE "trawl_fleet_future".job SET version = 1000`);
    await connection.query(`ALTER TABLE "trawl_fleet_future".job RENAME COLUMN settings TO choices`);
    await connection.close();
    for (const verb of ["work", "status", "pause", "pull"]) {
      assert.match(await failure(1, verb, "future", ...at()), /started by a newer version of Trawl/);
    }
    const { stdout } = await trawl.run("fleet", "list", ...at());
    assert.match(stdout, /^future: .*newer version.*\nweb1: running/);
    assert.equal((await trawl.run("fleet", "rm", "future", "--yes", ...at())).code, 0);
    assert.match(await failure(2, "status", "future", ...at()), /no fleet crawl named future/);
  });

  it("settings and starts that a fleet cannot use", async () => {
    for (const [setting, ...typed] of [
      ["render", "--render"],
      ["cacheDir", "--cache-dir", "x"],
      ["ca", "--ca", "x.pem"],
      ["maxPages", "--max-pages", "5"],
    ] as [string, ...string[]][]) {
      const { code, stderr } = await start("web3", ...typed);
      assert.equal(code, 2, stderr);
      assert.match(stderr, new RegExp(`cannot use the setting ${setting}`));
    }
    assert.match(await failure(2, "start", "web3", ...at()), /start URLs, or a list/);
    const empty = join(trawl.folder, "empty.txt");
    writeFileSync(empty, "\n");
    assert.match(await failure(2, "start", "web3", "--list", empty, ...at()), /contains no URLs/);
    const mixed = join(trawl.folder, "mixed.txt");
    writeFileSync(mixed, "# hosts\nhttp://127.0.0.1:1/a\nftp://127.0.0.1/b\n");
    const started = await trawl.run("fleet", "start", "mixed", "--list", mixed, ...at());
    assert.match(started.stdout, /Started mixed with 1 URL\./);
    assert.match(started.stderr, /line 3 is not a URL: ftp:/);
    const urls = "http://127.0.0.1:1/a\nhttp://127.0.0.1:1/b\n";
    assert.equal((await trawl.runWith(urls, "fleet", "start", "piped", "--list", "-", ...at())).code, 0);
    const status = JSON.parse((await trawl.run("fleet", "status", "piped", "--json", ...at())).stdout);
    assert.deepEqual([status.mode, status.inbox], ["list", 1]);
    assert.match(await failure(2, "start", "web3", "--list", join(trawl.folder, "none.txt"), ...at()), /none\.txt/);
    assert.match(await failure(2, "work", "web1", "--max-fetches", "0", ...at()), /--max-fetches/);
  });
});
