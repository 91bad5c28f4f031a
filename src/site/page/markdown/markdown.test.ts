import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { htmlPage } from "../../../web/html/testing/documents.ts";
import { htmlToMarkdown } from "./markdown.ts";

const markdown = (html: string) => htmlToMarkdown(html, { url: "https://example.com/docs/page" });

describe("a page as Markdown", () => {
  const cases: [title: string, html: string, expected: string][] = [
    ["headings and paragraphs", "<h1>A &amp; <em>b</em></h1><p>One\n  two<p>three", "# A & *b*\n\nOne two\n\nthree"],
    ["emphasis without the spaces around it", "a<b> bold </b>c <i></i>d<b> </b>e", "a **bold** c d e"],
    ["emphasis that is closed across", "<b>a<i>b</b>c</i>", "**a*b****c*"],
    ["emphasis over paragraphs", "<b><p>a<p>b</b>c", "**a**\n\n**b**c"],
    ["emphasis twice is emphasis", "<b>a<strong>b</strong></b>", "**ab**"],
    [
      "links, absolute",
      '<a href="a b?x=(1)">in</a> <a href=//o.test/>out</a>',
      "[in](https://example.com/docs/a%20b?x=%281%29) [out](https://o.test/)",
    ],
    ["links by the page's base", "<base href=/other/><a href=a>x</a>", "[x](https://example.com/other/a)"],
    [
      "no links to scripts",
      '<a href="javascript:alert(1)">x</a> <a href="  JAVA\nSCRIPT:y">y</a> <a href=data:x>z</a>',
      "x y z",
    ],
    ["links without text", "<a href=/a> </a>b<a href=/c><img src=/d.png></a>", "b"],
    [
      "links around an image",
      "<a href=/a><img src=/d.png alt='A [cat]'></a>",
      "[![A \\[cat\\]](https://example.com/d.png)](https://example.com/a)",
    ],
    [
      "links around blocks, once",
      "<div><a href=/a><h3>Card</h3><p>Body</p></a></div>",
      "### [Card](https://example.com/a)\n\nBody",
    ],
    ["an image without a source is its text", "<img alt=dog src=data:image/png;base64,xx>", "dog"],
    ["lists", "<ul><li>a<li>b<ol><li>c<li>d</ol><li>e</ul>", "- a\n- b\n  1. c\n  2. d\n- e"],
    ["lists apart from each other", "<ul><li>a</ul><ol><li>b</ol>", "- a\n\n1. b"],
    ["paragraphs of an item", "<ol><li><p>a<p>b<li><p>c</ol>", "1. a\n\n   b\n2. c"],
    ["items without a list", "<li>a<li>b", "- a\n- b"],
    ["quotes", "<blockquote><p>a<p>b<ul><li>c</ul></blockquote><p>d", "> a\n>\n> b\n>\n> - c\n\nd"],
    ["line breaks", "a<br>b<br><br>c", "a  \nb\n\nc"],
    ["a line break in a heading", "<h2>a<br>b</h2>", "## a b"],
    ["a rule", "a<hr>b", "a\n\n---\n\nb"],
    ["code", "Run <code>a  `b`</code> now", "Run `` a `b` `` now"],
    [
      "code blocks as they are",
      "<pre class='x language-js'>\nif (a < 1) {\n  *b*\n}\n\n</pre>",
      "```js\nif (a < 1) {\n  *b*\n}\n```",
    ],
    ["code blocks with fences in them", "<pre>```\nx</pre>", "````\n```\nx\n````"],
    ["code blocks in a list", "<ul><li>a<pre>b\nc</pre></ul>", "- a\n\n  ```\n  b\n  c\n  ```"],
    [
      "tables",
      "<table><tr><th>A<th>B|C<tr><td><b>1</b><p>x<td><a href=/p>y</a></table>",
      "| A | B\\|C |\n| --- | --- |\n| **1** x | [y](https://example.com/p) |",
    ],
    ["tables with rows of all lengths", "<table><tr><td>a<tr><td>b<td>c</table>", "| a |  |\n| --- | --- |\n| b | c |"],
    ["tables that only place text", "<table><tr><td>a<tr><td>b</table>", "a\n\nb"],
    [
      "tables in tables are text",
      "<table><tr><td>a<table><tr><td>b<td>c</table><td>d</table>",
      "| a b c | d |\n| --- | --- |",
    ],
    ["the caption of a table", "<table><caption>T</caption><tr><td>a<td>b</table>", "T\n\n| a | b |\n| --- | --- |"],
    [
      "nothing of navigation, footer, aside, scripts, styles, templates",
      "<nav>n</nav><aside>s</aside><script>x</script><style>y</style><template>t</template><noscript>u</noscript><p>a<footer>f</footer><select><option>o</select><svg><title>v</title></svg>",
      "a",
    ],
    ["nothing by role", "<div role=navigation>n</div><div role=contentinfo>f</div>a", "a"],
    ["the footer of an article is part of it", "<article>a<footer>by b</footer></article>", "a\n\nby b"],
    ["the main part alone", "<header>h</header><p>x<main><h1>a</h1>b</main><p>y", "# a\n\nb"],
    ["the main part by role", "x<div role=main>a</div>y", "a"],
    ["the whole page where the main part is empty", "x<main></main>y", "x\n\ny"],
    ["nothing of the head", "<head><title>t</title><meta name=a><link rel=b></head><body>a", "a"],
    [
      "text that looks like Markdown",
      "<p># a<p>- b<p>+ c<p>1. d<p>> e<p>=== <p>*f* _g_ [h](i) `j` ~~k~~ \\l<p>a_b 1986 2-3",
      "\\# a\n\n\\- b\n\n\\+ c\n\n1\\. d\n\n\\> e\n\n\\===\n\n\\*f\\* \\_g\\_ \\[h\\](i) \\`j\\` \\~\\~k\\~\\~ \\\\l\n\na_b 1986 2-3",
    ],
    [
      "text that looks like HTML",
      "&lt;script&gt;x&lt;/script&gt; a &lt; b &amp;lt; &amp;",
      "\\<script>x\\</script> a \\< b \\&lt; \\&",
    ],
    [
      "text that only looks like HTML when put together",
      "<p>&lt;<!-- -->script&gt; &amp;<!-- -->lt; !<a href=/x>y</a>",
      "\\<script> \\&lt; \\![y](https://example.com/x)",
    ],
    ["lines after a break that look like Markdown", "a<br># b<br>---<br>- c", "a  \n\\# b  \n\\---  \n\\- c"],
    [
      "control characters",
      "a\u0007b\u001b[31mc&#x9b;d<img alt='\u001bx' src=/y>",
      "ab\\[31mc›d ![x](https://example.com/y)",
    ],
    ["nothing", "", ""],
  ];
  for (const [title, html, expected] of cases) it(title, () => assert.equal(markdown(html), expected));

  it("keeps everything when asked to", () => {
    const html = "<nav><a href=/>n</a></nav><main>a</main><footer>f</footer>";
    assert.equal(
      htmlToMarkdown(html, { url: "https://example.com/", everything: true }),
      "[n](https://example.com/)\n\na\n\nf",
    );
  });

  it("is not led astray by depth: no script is read, and the text goes on", () => {
    const deep = `${"<div>".repeat(400)}<script>secret()</script>shown${"</div>".repeat(400)}<p>after`;
    assert.equal(markdown(deep), "shown\n\nafter");
  });
});

/** In code nothing is escaped, because nothing needs to be. */
const withoutCode = (html: string) => html.replace(/pre|code|xmp|listing|plaintext|kbd|samp|tt/gi, "div");

describe("any page as Markdown", () => {
  const fragments = fc.array(
    fc.oneof(
      fc.constantFrom(
        ..."<p>|</p>|<b>|</b>|<i>|</i>|<a href=/x>|</a>|<ul>|<ol>|<li>|</ul>|</li>|<blockquote>|</blockquote>|<table>|<tr>|<td>|</td>|</table>|<h2>|</h2>|<br>|<hr>|<main>|</main>|<nav>|</nav>|<div>|</div>|<script>|</script>|<img alt=x src=y>|<!-- -->|&lt;|&amp;|&lt;b&gt;|!|[|]|(|)|_|*|#|-| |\n|word".split(
          "|",
        ),
      ),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 60 },
  );

  it("never throws, and has no tag that is not escaped", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fragments.map((parts) => parts.join("")),
          htmlPage.map(withoutCode),
        ),
        (html) => {
          for (const line of markdown(html).split("\n")) {
            for (const { index } of line.matchAll(/</g)) {
              const slashes = /\\*$/.exec(line.slice(0, index))![0].length;
              assert.equal(slashes % 2, 1, JSON.stringify([html, line]));
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it("keeps every word of plain paragraphs", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 6 }), (paragraphs) => {
        const html = paragraphs.map((words) => `<p>${words.join(" <b>x</b>\n")}`).join("");
        const expected = paragraphs.map((words) => words.join(" **x** ")).join("\n\n");
        assert.equal(markdown(html), expected);
      }),
    );
  });

  it("takes time and room in proportion to the page", () => {
    const pieces = [
      "<b>",
      "<ul><li>",
      "<blockquote>",
      "<a href=/x>y",
      "<table><tr><td>x",
      "<b><i><s>x<br>",
      "<td>x",
      "<pre>\n",
      "`",
      "<code>`",
      "x<br>",
      "</b>",
      "<main>",
      "&lt;",
      "* ",
      "<li>x<p>y",
      "_",
      "<h1>",
    ];
    for (const piece of [...pieces, `<a href=/${"u".repeat(2_000)}>${"x<br>".repeat(500)}`]) {
      const cost = (times: number) => {
        const html = piece.repeat(times);
        // Processor time: other programs cannot make it longer.
        const start = process.cpuUsage();
        const { length } = markdown(html);
        return { ms: process.cpuUsage(start).user / 1_000, size: length / html.length };
      };
      const { ms, size } = cost(Math.ceil(200_000 / piece.length));
      assert.ok(ms < 4_000, `${piece.slice(0, 20)}: ${ms} ms`);
      assert.ok(size < 40, `${piece.slice(0, 20)}: ${size} times as long`);
    }
  });
});
