import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { RESPONSE_FIELD_NAMES } from "../facts/fact-fields.ts";
import { kindNumber } from "../links/link-kinds.ts";
import { LINK_INTERNAL } from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import { type FakeUrl, siteDatabase } from "../testing/site-database.ts";
import { packHtml, readHtml } from "./bodies.ts";
import { SiteReader } from "./reader.ts";
import { urlDetail } from "./url-detail.ts";

const site = (path: string) => `https://example.com${path}`;
const link = (target: number) => [
  target,
  kindNumber("anchor"),
  LINK_POSITIONS.indexOf("content"),
  LINK_INTERNAL,
  0,
  0,
  0,
];

const HEADERS = [
  ["Content-Type", "text/html"],
  ["Set-Cookie", "a=1"],
  ["Set-Cookie", "b=2"],
];

describe("detail of a URL", async () => {
  const html = await packHtml(Buffer.from("<p>Grüße</p>"));
  const urls: FakeUrl[] = [
    {
      url: site("/"),
      page: { status: 200, title: "Home", headers: JSON.stringify(HEADERS), link_count: 3 },
      links: [...link(2), ...link(2), ...link(4)],
      html,
    },
    { url: site("/1"), page: { status: 301, redirect_to: 3 } },
    { url: site("/2"), page: { status: 302, redirect_to: 4 } },
    { url: site("/3"), state: "failed", page: { error: "reset" } },
    { url: site("/loop-a"), page: { status: 301, redirect_to: 6 } },
    { url: site("/loop-b"), page: { status: 301, redirect_to: 5 } },
    { url: site("/out"), page: { status: 301, redirect_to: 8 } },
    { url: "https://other.test/", verdict: "record", reason: "external" },
    { url: site("/self"), page: { status: 301, redirect_to: 9 } },
    ...Array.from({ length: 30 }, (_, index) => ({
      url: site(`/chain/${index}`),
      page: { status: 301, redirect_to: 11 + index },
    })),
  ];
  const path = siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, urls);
  const writer = new DatabaseSync(path);
  writer.exec(
    `INSERT INTO rendered (id, title, console_errors, final_url) VALUES (1, 'After', '["boom"]', '${site("/#x")}')`,
  );
  writer.close();
  const reader = new SiteReader(path);
  const detail = (path: string) => urlDetail(reader, path.startsWith("/") ? site(path) : path);

  it("has every field, headers as pairs, the rendered page and the counts of links", () => {
    const { id, fields, headers, rendered, redirects, linksIn, linksOut, hasHtml } = detail("/");
    assert.deepEqual(Object.keys(fields), RESPONSE_FIELD_NAMES);
    assert.deepEqual([id, fields["title"], linksIn, linksOut, hasHtml], [1, "Home", 0, 3, true]);
    assert.deepEqual(headers, HEADERS);
    assert.deepEqual(
      [rendered!.title, rendered!.console_errors, rendered!.final_url],
      ["After", ["boom"], site("/#x")],
    );
    assert.ok(!("id" in rendered!));
    assert.deepEqual(redirects, []);
    assert.deepEqual([detail("/1").linksIn, detail("/1").linksOut, detail("/1").hasHtml], [2, 0, false]);
  });

  it("follows its redirects to the end, out of the crawl, or once around a loop", () => {
    const chain = (path: string) => detail(path).redirects.map(({ url, status, error }) => [url, status ?? error]);
    assert.deepEqual(chain("/1"), [
      [site("/2"), 302],
      [site("/3"), "reset"],
    ]);
    assert.deepEqual(chain("/loop-a"), [
      [site("/loop-b"), 301],
      [site("/loop-a"), 301],
    ]);
    assert.deepEqual(chain("/self"), [[site("/self"), 301]]);
    assert.deepEqual(detail("/out").redirects, [
      { url: "https://other.test/", status: null, error: null, verdict: "record" },
    ]);
    assert.equal(chain("/chain/0").length, 20);
  });

  it("of a URL that was never fetched is short; one that was never found is an error", () => {
    const { fields, headers, rendered, linksIn } = detail("https://other.test/");
    assert.deepEqual([fields["reason"], fields["status"], headers, rendered, linksIn], ["external", null, [], null, 0]);
    assert.throws(() => detail("/never"), { code: "URL_NOT_IN_CRAWL" });
  });

  it("gives its HTML back, and none from a crawl made before HTML was kept", (t) => {
    assert.equal(readHtml(reader, 1), "<p>Grüße</p>");
    assert.equal(readHtml(reader, 2), null);
    const old = siteDatabase(t, urls.slice(0, 1));
    new DatabaseSync(old).exec("DROP TABLE bodies");
    const oldReader = new SiteReader(old);
    t.after(() => oldReader.close());
    assert.equal(readHtml(oldReader, 1), null);
    assert.equal(urlDetail(oldReader, site("/")).hasHtml, false);
  });
});
