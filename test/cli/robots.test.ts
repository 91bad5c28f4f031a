import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startDemoSite } from "../../src/demo/index.ts";
import { Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

test("robots test --file gives verdict and line, for the agent that is asked for", async () => {
  writeFileSync(
    join(trawl.folder, "robots.txt"),
    "User-agent: *\nDisallow: /a\nAllow: /a/b\n\nUser-agent: otherbot\nDisallow: /\n",
  );
  const typed = ["robots", "test", "--file", "robots.txt", "https://example.com/a", "https://example.com/a/b"];
  const { code, lines } = await trawl.json(...typed);
  assert.equal(code, 0);
  assert.deepEqual(
    lines.map(({ allowed, line, rule }) => [allowed, line, rule]),
    [
      [false, 2, "Disallow: /a"],
      [true, 3, "Allow: /a/b"],
    ],
  );
  const { stdout } = await trawl.run(...typed, "--agent", "OtherBot/2.0");
  assert.match(
    stdout,
    /^disallowed {2}https:\/\/example\.com\/a\n +line 6: Disallow: \/ \(for otherbot, in robots\.txt\)/,
  );
});

test("robots test asks the site itself", async () => {
  const site = await startDemoSite();
  try {
    const { lines } = await trawl.json("robots", "test", `${site.url}private/x`, `${site.url}shop`);
    assert.deepEqual(
      lines.map(({ allowed, line }) => [allowed, line]),
      [
        [false, 3],
        [true, null],
      ],
    );
    assert.deepEqual(
      site.requests().map(({ target }) => target),
      ["/robots.txt"],
    );
  } finally {
    await site.close();
  }
});
