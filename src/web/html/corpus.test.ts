import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse5Tokens, scannedTokens } from "./testing/tokens.ts";

/** Real pages, where Debian's documentation packages are installed. */
const CORPUS = ["/usr/share/doc/python3.11/html", "/usr/share/doc/postgresql-doc-15/html"];
const FILES_EACH = 40;
/** parse5 takes most of the time; larger pages hold nothing new. */
const LARGEST_FILE = 60_000;

for (const folder of CORPUS) {
  test(`tokenizes ${folder} as parse5`, { skip: !existsSync(folder) && "not installed" }, () => {
    const files = globSync("**/*.html", { cwd: folder }).sort();
    const step = Math.max(1, Math.floor(files.length / FILES_EACH));
    let compared = 0;
    for (let index = 0; index < files.length; index += step) {
      const html = readFileSync(join(folder, files[index]!), "utf8");
      if (html.length > LARGEST_FILE) continue;
      assert.deepEqual(scannedTokens(html), parse5Tokens(html), files[index]);
      compared++;
    }
    assert.ok(compared > 0);
  });
}
