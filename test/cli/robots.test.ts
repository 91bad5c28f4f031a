import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startDemoSite } from "../../src/demo/index.ts";
import { serveHttp } from "../../src/net/testing/servers.ts";
import { Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

test("robots test --file gives verdict and line for the given agent", async () => {
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

test("robots test fetches robots.txt from the site", async () => {
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

test("robots test: a robots.txt that cannot be fetched does not allow; it says why, at once, and what a crawl would do", async (t) => {
  const busy = await serveHttp(t, (_request, response) => response.writeHead(503, { "retry-after": "5" }).end());
  const typed = ["robots", "test", "http://127.0.0.1:1/x", `${busy.origin}/y`];
  const { code, lines } = await trawl.json(...typed);
  assert.equal(code, 1);
  assert.deepEqual(
    lines.map(({ allowed, unreachable, line }) => [allowed, unreachable, line]),
    [
      [false, true, null],
      [false, true, null],
    ],
  );
  assert.match(String(lines[0]!["source"]), /refused the connection/);
  assert.match(String(lines[1]!["source"]), /answered 503/);
  assert.equal(busy.requests, 1, "the user is waiting");
  const { stdout, code: again } = await trawl.run(...typed);
  assert.equal(again, 1);
  assert.match(stdout, /^unreachable {2}http:\/\/127\.0\.0\.1:1\/x\n +robots\.txt could not be read: .*refused/);
  assert.match(
    stdout.replace(/\s+/g, " "),
    /a crawl fetches nothing from this host \(RFC 9309\); it tries again later\./,
  );
});
