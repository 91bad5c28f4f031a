import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { homeToken, homeTokenFile, readToken } from "./token-file.ts";

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-token-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  return folder;
}

test("the token is made once, is private whatever the umask and the folder, and leaves nothing else behind", (t) => {
  const home = temporaryFolder(t);
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  const token = homeToken(home);
  assert.equal(homeToken(home), token);
  assert.deepEqual(readdirSync(home), ["token"]);
  assert.equal(statSync(homeTokenFile(home)).mode & 0o777, 0o600);
  chmodSync(homeTokenFile(home), 0o644);
  assert.equal(homeToken(home), token);
  assert.equal(statSync(homeTokenFile(home)).mode & 0o777, 0o600);
});

test("a file without a usable token is reported with its name", (t) => {
  const file = join(temporaryFolder(t), "secret");
  const fails = (code: string) =>
    assert.throws(
      () => readToken(file),
      (error) => error instanceof TrawlError && error.code === code && error.message.includes("secret"),
    );
  fails("FILE_NOT_READABLE");
  writeFileSync(file, "\n");
  fails("BAD_USAGE");
  writeFileSync(file, "0123456789abcdef\r\n");
  assert.equal(readToken(file), "0123456789abcdef");
});
