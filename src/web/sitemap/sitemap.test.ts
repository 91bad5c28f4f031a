import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { SitemapInput } from "./sitemap.ts";
import { readSitemap } from "./sitemap.ts";

const SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

async function read(text: string, limits = {}) {
  return readSitemap(Buffer.from(text), limits);
}

async function locsOf(input: SitemapInput): Promise<string[]> {
  return (await readSitemap(input)).urls.map((url) => url.loc);
}

/** A transfer that notes whether it was closed. */
function transfer(pieces: (Uint8Array | Error)[]): AsyncIterable<Uint8Array> & { closed: boolean } {
  const source = {
    closed: false,
    async *[Symbol.asyncIterator]() {
      try {
        for (const piece of pieces) {
          if (piece instanceof Error) throw piece;
          yield piece;
        }
      } finally {
        source.closed = true;
      }
    },
  };
  return source;
}

describe("forms", () => {
  test("a sitemap, without the addresses of its images and translations", async () => {
    const result = await read(`<?xml version="1.0" encoding="UTF-8"?>
      <urlset ${SPACE} xmlns:image="i" xmlns:xhtml="x">
        <url><loc> https://e.example/a?x=1&amp;y=2 </loc><lastmod>2024-05-17</lastmod><priority>1</priority></url>
        <url><image:image><image:loc>https://e.example/i.png</image:loc></image:image>
          <image:loc>https://e.example/j.png</image:loc>
          <xhtml:link rel="alternate" hreflang="de" href="https://e.example/de"/><loc><![CDATA[https://e.example/b?x&y]]></loc></url>
        <url><lastmod>2024</lastmod></url>
      </urlset>`);
    assert.deepEqual(result, {
      kind: "urlset",
      urls: [
        { loc: "https://e.example/a?x=1&y=2", lastmod: "2024-05-17", priority: "1" },
        { loc: "https://e.example/b?x&y", alternates: [["de", "https://e.example/de"]] },
      ],
      sitemaps: [],
      problems: ["entries without <loc>"],
      truncated: false,
    });
  });

  test("prefixed and upper-case names", async () => {
    const result = await read(`<S:URLSET xmlns:S="s"><S:Url><S:Loc>https://e.example/</S:Loc></S:Url></S:URLSET>`);
    assert.deepEqual(result.urls, [{ loc: "https://e.example/" }]);
  });

  test("an index", async () => {
    const result = await read(`<sitemapindex ${SPACE}><sitemap><loc>https://e.example/1.xml</loc></sitemap>
      <sitemap><loc>https://e.example/2.xml.gz</loc><lastmod>2024</lastmod></sitemap></sitemapindex>`);
    assert.equal(result.kind, "sitemapindex");
    assert.deepEqual(result.sitemaps, ["https://e.example/1.xml", "https://e.example/2.xml.gz"]);
    assert.deepEqual(result.urls, []);
  });

  test("RSS 2.0 and 1.0", async () => {
    const rss = await read(`<!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "http://n.example/rss.dtd">
      <rss version="2.0" xmlns:atom="a"><channel><link>https://e.example/</link><atom:link href="https://e.example/feed"/>
      <item><atom:link href="no"/><link>https://e.example/1</link><pubDate>Fri, 17 May 2024 10:00:00 GMT</pubDate></item>
      </channel></rss>`);
    assert.equal(rss.kind, "rss");
    assert.deepEqual(rss.urls, [{ loc: "https://e.example/1", lastmod: "Fri, 17 May 2024 10:00:00 GMT" }]);
    const rdf = await read(`<rdf:RDF xmlns:rdf="r" xmlns="n" xmlns:dc="d"><channel/>
      <item><link>https://e.example/2</link><dc:date>2024-01-01</dc:date></item></rdf:RDF>`);
    assert.deepEqual(rdf.urls, [{ loc: "https://e.example/2", lastmod: "2024-01-01" }]);
  });

  test("Atom", async () => {
    const result = await read(`<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://e.example/"/>
      <entry><link rel="edit" href="https://e.example/edit"/><link href="https://e.example/1?a&amp;b"/>
        <link rel="alternate" href="https://e.example/again"/><updated>2024-05-17T00:00:00Z</updated>
        <source><link href="https://other.example/"/></source></entry>
      <entry><link rel="alternate" href="https://e.example/2"/></entry></feed>`);
    assert.equal(result.kind, "atom");
    assert.deepEqual(result.urls, [
      { loc: "https://e.example/1?a&b", lastmod: "2024-05-17T00:00:00Z" },
      { loc: "https://e.example/2" },
    ]);
  });

  test("plain text", async () => {
    const result = await read(
      "\ufeffhttps://e.example/1\r\n\r\n  HTTP://e.example/2  \nnonsense\rhttps://e.example/3\nwww.e.example/4\n//e.example/5\nwww. is nonsense",
    );
    assert.equal(result.kind, "text");
    assert.deepEqual(
      result.urls.map((url) => url.loc),
      ["https://e.example/1", "HTTP://e.example/2", "https://e.example/3", "www.e.example/4", "//e.example/5"],
    );
    assert.deepEqual(result.problems, ["2 lines are not addresses"]);
  });

  test("gzip, recognised by its first octets", async () => {
    const text = `<urlset><url><loc>https://e.example/é</loc></url></urlset>`;
    const packed = gzipSync(text);
    assert.deepEqual(await locsOf(packed), ["https://e.example/é"]);
    const octets = transfer([...packed].map((octet) => Uint8Array.of(octet)));
    assert.deepEqual(await locsOf(octets), ["https://e.example/é"]);
    assert.ok(octets.closed);
  });

  test("encodings: UTF-16 by its mark, others by the declaration, UTF-8 otherwise", async () => {
    const text = (label: string) =>
      `<?xml version="1.0" encoding="${label}"?><urlset><url><loc>https://e.example/é</loc></url></urlset>`;
    assert.deepEqual(await locsOf(Buffer.from(`\ufeff${text("utf-16")}`, "utf16le")), ["https://e.example/é"]);
    assert.deepEqual(await locsOf(Buffer.from(text("ISO-8859-1"), "latin1")), ["https://e.example/é"]);
    for (const label of ["UTF-8", "utf-16", "no-such-thing"]) {
      assert.deepEqual(await locsOf(Buffer.from(text(label))), ["https://e.example/é"], label);
    }
  });
});

describe("broken files", () => {
  const cases: [string, string, string[], RegExp][] = [
    [
      "bare ampersands",
      "<urlset><url><loc>https://e.example/?a&b=2</loc></url></urlset>",
      ["https://e.example/?a&b=2"],
      /ampersands/,
    ],
    [
      "an unknown entity",
      "<urlset><url><loc>https://e.example/&nbsp;</loc></url></urlset>",
      ["https://e.example/&nbsp;"],
      /entity/,
    ],
    [
      "a missing end tag",
      "<urlset><url><loc>https://e.example/1</url><url><loc>https://e.example/2</loc></url></urlset>",
      ["https://e.example/1", "https://e.example/2"],
      /close tag/,
    ],
    [
      "entries in one another",
      "<urlset><url><loc>https://e.example/1</loc><url><loc>https://e.example/2</loc></url></urlset>",
      ["https://e.example/1", "https://e.example/2"],
      /XML/,
    ],
    [
      "several addresses in one entry",
      "<urlset><url><loc>https://e.example/1</loc><loc>https://e.example/2</loc></url></urlset>",
      ["https://e.example/1", "https://e.example/2"],
      /several <loc>/,
    ],
    [
      "an address without its element",
      "<urlset><url> https://e.example/1 <lastmod>2024</lastmod></url><url></url></urlset>",
      ["https://e.example/1"],
      /without <loc>/,
    ],
    [
      "an entry within an address",
      "<urlset><url><loc><url><![CDATA[https://e.example/1]]></url></loc></url><url/></urlset>",
      ["https://e.example/1"],
      /without <loc>/,
    ],
    [
      "an end in the middle of an entry, when its address is whole",
      "<urlset><url><loc>https://e.example/1</lo",
      ["https://e.example/1"],
      /unclosed/,
    ],
    [
      "a feed whose items have an id only",
      "<rss><channel><item><guid>https://e.example/1</guid></item><item><guid>urn:x</guid></item></channel></rss>",
      ["https://e.example/1"],
      /without <link>/,
    ],
    [
      "a lost end",
      "<urlset><url><loc>https://e.example/1</loc></url><url><loc>https://e.exam",
      ["https://e.example/1"],
      /unclosed/,
    ],
    [
      "blank lines before the declaration",
      "\n\n<?xml version='1.0'?><urlset><url><loc>https://e.example/1</loc></url></urlset>!",
      ["https://e.example/1"],
      /outside/,
    ],
  ];
  for (const [name, text, expected, problem] of cases) {
    test(name, async () => {
      const result = await read(text);
      assert.deepEqual(
        result.urls.map((url) => url.loc),
        expected,
      );
      assert.match(result.problems.join("\n"), problem);
    });
  }

  test("what is not a sitemap is reported", async () => {
    const pages: [string, RegExp][] = [
      ["", /empty/],
      ["  \n", /empty/],
      ["<!DOCTYPE html><html><br><body>", /HTML/],
      ["\n<!doctype html>\n<html><br><body>", /^not a sitemap: an HTML page$/],
      ["<html><body>", /<html>/],
      ["<!-- nothing -->", /no root/],
      ["hello\nworld", /neither/],
      ["\0\0\0", /neither/],
    ];
    for (const [text, problem] of pages) {
      const result = await read(text);
      assert.equal(result.kind, "unknown", text);
      assert.match(result.problems.join("\n"), problem, text);
    }
  });

  test("a transfer that breaks off leaves what came before it", async () => {
    const text = Buffer.from("<urlset><url><loc>https://e.example/1</loc></url><url><loc>https://e.example/2");
    const result = await readSitemap(transfer([text, new Error("reset")]));
    assert.deepEqual(result.urls, [{ loc: "https://e.example/1" }]);
    assert.deepEqual(result.problems, ["reading broke off: reset"]);
    assert.ok(result.truncated);
    const cut = gzipSync("https://e.example/1\n".repeat(5000));
    const half = await readSitemap(cut.subarray(0, cut.length - 12));
    assert.ok(half.truncated);
    assert.match(half.problems.join(), /broke off/);
  });
});

describe("hostile files", () => {
  test("entities of its own are not expanded, and addresses with them are left out", async () => {
    const laughs = `<!DOCTYPE urlset [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
      <urlset><url><loc>https://e.example/&b;&f;</loc></url></urlset>`;
    const result = await read(laughs.replace("</urlset>", "<url><loc>https://e.example/1</loc></url></urlset>"));
    assert.deepEqual(result.urls, [{ loc: "https://e.example/1" }]);
    assert.match(result.problems.join(), /entities of its own \(DTD\) are not expanded/);
    const harmless = await read(
      "<!DOCTYPE urlset [<!ELEMENT urlset (url*)>]><urlset><url><loc>https://e.example/1</loc></url></urlset>",
    );
    assert.deepEqual([harmless.urls.length, harmless.problems], [1, []]);
  });

  test("limits: octets, addresses, length", async () => {
    const entry = (index: number) => `<url><loc>https://e.example/${index}</loc></url>`;
    const text = `<urlset>${Array.from({ length: 10 }, (_, index) => entry(index)).join("")}</urlset>`;
    const ten = await read(text, { maxUrls: 10 });
    assert.equal(ten.urls.length, 10);
    assert.equal(ten.truncated, false);
    const nine = await read(text, { maxUrls: 9 });
    assert.equal(nine.urls.length, 9);
    assert.equal(nine.truncated, true);
    const bytes = await read(text, { maxBytes: 100 });
    assert.equal(bytes.urls.length, 2);
    assert.equal(bytes.truncated, true);
    assert.match(bytes.problems.join(), /longer than 100 bytes/);
    assert.equal((await read(text, { maxBytes: text.length })).truncated, false);
    const long = await read(`<urlset>${entry(1)}<url><loc>https://e.example/long</loc></url></urlset>`, {
      maxUrlLength: 20,
    });
    assert.deepEqual(long.urls, [{ loc: "https://e.example/1" }]);
    assert.deepEqual(long.problems, ["1 addresses are longer than 20 characters"]);
  });

  test("a gzip bomb, endless nesting and endless attributes end early, and the transfer is closed", async () => {
    const bomb = transfer([
      gzipSync(Buffer.concat([Buffer.from("<urlset>"), Buffer.alloc(4_000_000, " ")])),
      Buffer.alloc(10),
    ]);
    const result = await readSitemap(bomb, { maxBytes: 1_000_000 });
    assert.ok(result.truncated);
    assert.ok(bomb.closed);
    const nested = transfer([Buffer.from(`<urlset>${"<a>".repeat(30_000)}`), Buffer.from("<a>".repeat(30_000))]);
    assert.match((await readSitemap(nested)).problems.join(), /nested/);
    assert.ok(nested.closed);
    const attributes = Array.from({ length: 5000 }, (_, index) => `a${index}="1"`).join(" ");
    assert.match((await read(`<urlset ${attributes}>`)).problems.join(), /attributes/);
    const problems = await read(
      `<urlset>${Array.from({ length: 1000 }, (_, index) => `&x${index};`).join("\n")}</urlset>`,
    );
    assert.ok(problems.problems.length < 30);
  });

  test("any octets, cut anywhere, are read without an error, and the cuts make no difference", async () => {
    const part = fc.constantFrom(
      ...[
        "<urlset>",
        "</urlset>",
        "<url>",
        "</url>",
        "<loc>",
        "</loc>",
        "https://e.example/",
        "&",
        "&amp;",
        "<",
        ">",
        "\n",
        "é",
        "]]>",
      ],
      ...[
        "<![CDATA[",
        "<!--",
        "-->",
        "<!DOCTYPE a>",
        "<?xml?>",
        "<feed>",
        "<entry>",
        "<link href='x'/>",
        "<rss><item>",
        '"',
      ],
    );
    const bytes = fc.oneof(
      fc.array(part, { maxLength: 20 }).map((parts) => Buffer.from(parts.join(""))),
      fc.uint8Array().map((octets) => Buffer.from(octets)),
      fc.uint8Array().map((octets) => Buffer.concat([Buffer.from([0x1f, 0x8b, 8]), octets])),
    );
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 30 }), async (whole, size) => {
        const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
          whole.subarray(index * size, (index + 1) * size),
        );
        const cut = await readSitemap(transfer(pieces));
        assert.deepEqual(cut.urls, (await readSitemap(whole)).urls);
      }),
      { numRuns: 500 },
    );
  });
});
