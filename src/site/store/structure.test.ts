import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FakeUrl, siteDatabase } from "../testing/site-database.ts";
import { SiteReader } from "./reader.ts";
import { type SiteStructure, type StructureEntry, siteStructure } from "./structure.ts";
import { countViews } from "./view.ts";

const site = (path: string) => `https://example.com/${path}`;
const page = (path: string, depth: number, status: number | null = 200): FakeUrl => ({
  url: site(path),
  depth,
  page: status === null ? { error: "connect_timeout" } : { status, title_count: 1 },
});

const urls: FakeUrl[] = [
  page("", 0),
  page("about", 1),
  page("docs/", 1),
  page("docs/a?from=/shop/x", 2),
  page("docs/deep/b", 3, 404),
  page("docs/deep/c", 5),
  page("Docs/upper", 2),
  page("docs0/near", 1, 301),
  page("shop/x", 2, 500),
  page("shop/y", 2, null),
  { url: site("docs/skipped"), depth: 1, verdict: "skip", reason: "nofollow" },
];

const opened = (list: FakeUrl[]): SiteReader =>
  new SiteReader(siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, list));
const sizes = (entries: readonly StructureEntry[]) => entries.map(({ kind, name, urls: size }) => [kind, name, size]);

describe("site structure", () => {
  const reader = opened(urls);

  it("begins at the only host, counts each folder with all below, largest first, and what is directly there", () => {
    const root = siteStructure(reader, { folder: null, limit: 10 });
    assert.equal(root.folder, site(""));
    assert.equal(root.urls, 10);
    assert.deepEqual(sizes(root.children), [
      ["folder", "docs", 4],
      ["folder", "shop", 2],
      ["folder", "Docs", 1],
      ["folder", "docs0", 1],
      ["here", "", 2],
    ]);
    const docs = root.children[0]!;
    assert.deepEqual([docs.ok, docs.clientError, docs.depth], [3, 1, 2.8]);
    assert.deepEqual(sizes(docs.children), [
      ["folder", "deep", 2],
      ["here", "", 2],
    ]);
    const shop = root.children[1]!;
    assert.deepEqual([shop.ok, shop.serverError, shop.noAnswer], [0, 1, 1]);
  });

  it("every figure is the length of the list that its filter opens", () => {
    const check = ({ urls: size, filter }: Pick<SiteStructure, "urls" | "filter">) =>
      assert.deepEqual(countViews(reader, [{ filters: filter, search: null }]), [size], filter.join(" "));
    const root = siteStructure(reader, { folder: null, limit: 10 });
    check(root);
    for (const child of root.children) {
      check(child);
      child.children.forEach(check);
    }
  });

  it("goes into a folder, with or without its slash", () => {
    const deep = siteStructure(reader, { folder: site("docs/deep"), limit: 10 });
    assert.equal(deep.folder, site("docs/deep/"));
    assert.deepEqual(sizes(deep.children), [["here", "", 2]]);
    assert.equal(siteStructure(reader, { folder: site("nothing/"), limit: 10 }).urls, 0);
  });

  it("counts together what is beyond the limit, and loses nothing", () => {
    const root = siteStructure(reader, { folder: null, limit: 1 });
    assert.deepEqual(sizes(root.children), [
      ["folder", "docs", 4],
      ["here", "", 2],
      ["rest", "", 4],
    ]);
    assert.equal(root.children[2]!.folders, 3);
  });

  it("lists the hosts where there are several, and begins in the folder that holds everything", () => {
    const other = { url: "https://www.example.com/x", depth: 1, page: { status: 200 } };
    const both = siteStructure(opened([...urls, other]), { folder: null, limit: 10 });
    assert.equal(both.folder, null);
    assert.deepEqual(
      both.children.map(({ folder }) => folder),
      [site(""), "https://www.example.com/"],
    );
    const inside = siteStructure(opened([page("a/b/c", 0), page("a/b/d/e", 1)]), { folder: null, limit: 10 });
    assert.equal(inside.folder, site("a/b/"));
  });
});
