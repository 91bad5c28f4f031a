import assert from "node:assert/strict";
import { test } from "node:test";
import { linksInHeader } from "./link-header.ts";

const CASES: [header: string, links: string[]][] = [
  ["", []],
  ["</a>; rel=canonical", ["canonical /a"]],
  ['< /a >; title="x, y"; REL="nofollow Canonical"', ["canonical /a"]],
  ['</a>; rel="canonical"; anchor="#part"', []],
  ["</a>; title=canonical", []],
  [
    '</de>; rel="alternate"; hreflang="de", </en>; hreflang=en; rel=alternate,\n</p2>; rel=next, </p0>; rel=prev',
    ["alternate /de de", "alternate /en en", "next /p2", "prev /p0"],
  ],
  ['</feed>; rel="alternate"; type="application/rss+xml"', ["alternate /feed"]],
  ['</s.css>; rel="alternate stylesheet", </s2.css>; rel=preload; as=style', []],
  ["</a>; rel=next; rel=prev", ["next /a"]],
  ["no address; rel=canonical", []],
];

for (const [header, expected] of CASES) {
  test(`Link: ${header.replaceAll("\n", " ")}`, () => {
    const links = linksInHeader(header).map(({ kind, href, hreflang }) =>
      [kind, href, hreflang].filter((part) => part !== null).join(" "),
    );
    assert.deepEqual(links, expected);
  });
}
