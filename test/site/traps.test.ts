/** Endless parts of a site end with the default settings; large honest ones lose no page. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { startDemoSite } from "../../src/demo/index.ts";
import { listenOnLoopback } from "../../src/demo/loopback.ts";
import { type CrawlOptions, crawl } from "../../src/index.ts";
import { crawlInto, firstDifference, query, storedUrls, temporaryFolder } from "./crawling.ts";

type Answer = (path: string, query: URLSearchParams) => string | undefined;

/** A site made by a function; what it has no page for is 404. */
async function madeUpSite(t: TestContext, answer: Answer) {
  let requests = 0;
  const server = await listenOnLoopback((request, response) => {
    requests++;
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://site");
    // A trap that nobody stops must not hold up the tests.
    const html =
      requests > 20_000 || /^\/(?:robots|sitemap)/.test(pathname) ? undefined : answer(pathname, searchParams);
    response
      .writeHead(html === undefined ? 404 : 200, { "content-type": "text/html" })
      .end(html ?? "<h1>Nothing here</h1>");
  });
  t.after(() => server.close());
  return { url: `${server.url}/`, origin: server.url, requests: () => requests };
}

const page = (title: string, text: string, links: readonly string[], linkText = ""): string =>
  `<!doctype html><title>${title}</title><nav><a href="/">Home</a> <a href="/about">About</a></nav><main><p>${text}</p>
  ${links.map((url) => `<a href="${url}">${linkText || url}</a>`).join("\n")}</main>`;

const SYLLABLES = "ba be bi bo bu da de di do du ga ge gi go gu ka ke ki ko ku la le li lo lu ma me mi mo mu".split(
  " ",
);

/** The same words for the same seed. */
function words(seed: string, count: number): string[] {
  const bytes = Array.from({ length: Math.ceil((count * 3) / 32) }, (_, block) =>
    createHash("sha256").update(`${seed} ${block}`).digest(),
  ).flatMap((digest) => [...digest]);
  return Array.from({ length: count }, (_, at) =>
    [0, 1, 2].map((part) => SYLLABLES[bytes[at * 3 + part]! % SYLLABLES.length]).join(""),
  );
}

const traps = (database: string): string[] =>
  query<{ rule: string }>(database, "SELECT DISTINCT rule FROM urls WHERE reason = 'trap_no_yield' ORDER BY 1").map(
    ({ rule }) => rule.replace(/:\/\/[^/]*/, "://site"),
  );

test("the demo site ends with default settings, and the same way at any parallelism", async (t) => {
  const site = await startDemoSite();
  t.after(() => site.close());
  const first = await crawlInto(t, site.url, { retries: 0 });
  assert.equal(first.summary.state, "completed");
  assert.ok(site.requests().length < 1_000, `${site.requests().length} requests`);
  assert.deepEqual(traps(first.database), ["stopTraps: http://site/calendar/**", "stopTraps: http://site/shop/all?*"]);
  for (const parallelism of [1, 30]) {
    const { database } = await crawlInto(t, site.url, { parallelism, retries: 0 });
    const [one, other] = [storedUrls(first.database), storedUrls(database)];
    assert.ok(isDeepStrictEqual(other, one), firstDifference(other, one));
  }
});

test("a crawl that is stopped again and again cuts traps where one crawl without a stop does", async (t) => {
  const site = await startDemoSite();
  t.after(() => site.close());
  const whole = await crawlInto(t, site.url, { retries: 0 });
  const database = join(temporaryFolder(t), "parts.db");
  for (const pages of [60, 90, 50, 70, 40, Number.POSITIVE_INFINITY]) {
    const run = crawl(site.url, { database, retries: 0 });
    let seen = 0;
    for await (const _ of run) if (++seen === pages) await run.stop();
  }
  const [one, other] = [storedUrls(whole.database), storedUrls(database)];
  assert.ok(isDeepStrictEqual(other, one), firstDifference(other, one));
});

const MONTHS = "January February March April May June July August September October November December".split(" ");
let session = 0;

const ENDLESS: { name: string; answer: Answer; most: number }[] = [
  {
    name: "a calendar in a query, with the names of months",
    most: 300,
    answer: (path, asked) => {
      if (path === "/") return page("Start", "Welcome", ["/cal?month=11&year=2026"]);
      const [year, month] = [Number(asked.get("year")), Number(asked.get("month"))];
      const at = (months: number) => {
        const total = year * 12 + month - 1 + months;
        return `/cal?month=${(total % 12) + 1}&year=${Math.floor(total / 12)}`;
      };
      if (path === "/cal") return page(`${MONTHS[month - 1]} ${year}`, "No events", [at(-1), at(1), at(12)], "go");
      return undefined;
    },
  },
  {
    name: "a calendar whose days are in another folder",
    most: 900,
    answer: (path) => {
      if (path === "/") return page("Start", "Welcome", ["/calendar/2026/11"]);
      const [, year, month] = /^\/calendar\/(\d+)\/(\d+)$/.exec(path) ?? [];
      if (year === undefined) return path.startsWith("/day/") ? page(path, `Nothing on ${path}`, []) : undefined;
      const total = Number(year) * 12 + Number(month);
      const days = Array.from({ length: 28 }, (_, day) => `/day/${year}-${month}-${day + 1}`);
      const next = `/calendar/${Math.floor(total / 12)}/${(total % 12) + 1}`;
      return page(`${month}/${year}`, `Calendar of ${month}/${year}`, [next, ...days]);
    },
  },
  {
    name: "a maze of words with one text, that grows deeper",
    most: 600,
    answer: (path) => {
      if (path === "/") return page("Start", "Welcome", ["/maze/"]);
      const deeper = words(path, 15).map((word) => `${path}${word}/`);
      return path.startsWith("/maze/") ? page("Maze", "Read more", deeper, "more") : undefined;
    },
  },
  {
    name: "a maze with a new text on every page",
    most: 4_500,
    answer: (path) => {
      if (path === "/") return page("Start", "Welcome", ["/maze/begin"]);
      if (!path.startsWith("/maze/")) return undefined;
      const to = words(path, 16);
      const links = Array.from({ length: 8 }, (_, at) => `/maze/${to[at * 2]}-${to[at * 2 + 1]}`);
      return page(path, words(`text ${path}`, 40).join(" "), links);
    },
  },
  {
    name: "pages past the end of a list",
    most: 600,
    answer: (path, asked) => {
      const number = Number(asked.get("page"));
      if (path === "/") return page("Start", "Welcome", ["/list?page=1"]);
      if (path.startsWith("/item/")) return page(path, words(path, 20).join(" "), []);
      if (path !== "/list" || number < 1) return undefined;
      const items = number <= 10 ? words(`page ${number}`, 5).map((word) => `/item/${word}`) : [];
      return page(`Page ${number}`, `Page ${number}`, [...items, `/list?page=${number + 1}`]);
    },
  },
  {
    name: "session ids in a query",
    most: 1_000,
    answer: (path) => {
      const links = Array.from({ length: 20 }, (_, at) => `/p${at}?visit=${++session}`);
      return path === "/" || /^\/p1?\d$/.test(path) ? page(path, `This is ${path}`, links, "link") : undefined;
    },
  },
  {
    name: "session ids as folders",
    most: 1_000,
    answer: (path) => {
      const links = Array.from({ length: 40 }, (_, at) => {
        const token = createHash("md5").update(`folder ${++session}`).digest("hex");
        return `/s/${token}/p${at}`;
      });
      const name = path === "/" ? "start" : /^\/s\/\w{32}\/(p[123]?\d)$/.exec(path)?.[1];
      return name === undefined ? undefined : page(name, words(name, 20).join(" "), links, "link");
    },
  },
  {
    name: "session ids in a path, and a token in a query",
    most: 40,
    answer: (path) => {
      const token = createHash("md5").update(String(++session)).digest("hex");
      const links = Array.from({ length: 10 }, (_, at) => [
        `/p${at};jsessionid=${token}`,
        `/p${at}?sid=${token}`,
      ]).flat();
      return path === "/" || /^\/p\d(?:;|$)/.test(path) ? page(path, `This is ${path}`, links, "link") : undefined;
    },
  },
];

for (const { name, answer, most } of ENDLESS) {
  test(`it ends: ${name}`, async (t) => {
    const site = await madeUpSite(t, answer);
    const { summary } = await crawlInto(t, site.url, { retries: 0, parallelism: 10 });
    assert.equal(summary.state, "completed");
    assert.ok(site.requests() <= most, `${site.requests()} requests`);
  });
}

const SIZE = 2_400;

/** Each with what it has pages of. */
const HONEST: { name: string; answer: Answer; pages: number }[] = [
  {
    name: "a shop whose products differ in their numbers only",
    pages: 1 + SIZE / 100 + SIZE,
    answer: (path) => {
      const [, kind, written] = /^\/(category|product)\/(\d+)$/.exec(path) ?? [];
      const number = Number(written);
      const below = (from: number, count: number, prefix: string) =>
        Array.from({ length: count }, (_, at) => `/${prefix}/${from + at}`);
      if (path === "/") return page("Shop", "Welcome", below(0, SIZE / 100, "category"));
      if (kind === "category") return page(`Category ${number}`, "Products", below(number * 100, 100, "product"));
      return kind === "product" ? page(`Product ${number}`, `Product ${number}`, []) : undefined;
    },
  },
  {
    name: "a wiki of which only one page is linked from outside",
    pages: 1 + SIZE,
    answer: (path) => {
      if (path === "/") return page("Wiki", "Welcome", ["/wiki/Page_0"]);
      const number = Number(/^\/wiki\/\w+_(\d+)$/.exec(path)?.[1] ?? Number.NaN);
      if (!(number < SIZE)) return undefined;
      const digest = createHash("sha256").update(path).digest();
      const links = [0, 4, 8, 12, 16].map((at) => digest.readUInt32LE(at) % SIZE);
      return page(
        path,
        words(path, 30).join(" "),
        [number + 1, ...links].map((to) => `/wiki/Page_${to % SIZE}`),
      );
    },
  },
  {
    name: "a forum with a query for everything",
    pages: 1 + SIZE / 20 + SIZE,
    answer: (path, asked) => {
      if (path === "/") return page("Forum", "Welcome", ["/index.php?page=0"]);
      const [listed, topic] = [Number(asked.get("page")), Number(asked.get("topic"))];
      if (path === "/topic.php" && topic < SIZE) return page(`Topic ${topic}`, `Topic ${topic}`, []);
      if (path !== "/index.php" || listed * 20 >= SIZE) return undefined;
      const topics = Array.from({ length: 20 }, (_, at) => `/topic.php?topic=${listed * 20 + at}`);
      const next = (listed + 1) * 20 < SIZE ? [`/index.php?page=${listed + 1}`] : [];
      return page(`Topics ${listed}`, "Topics", [...next, ...topics]);
    },
  },
  {
    name: "photos without a word, one after the other",
    pages: 1 + 700,
    answer: (path) => {
      if (path === "/") return page("Photos", "Welcome", ["/photo/0"]);
      const number = Number(/^\/photo\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
      if (!(number < 700)) return undefined;
      const next = number < 699 ? `<a href="/photo/${number + 1}">next</a>` : "";
      return `<!doctype html><title>Photo</title><img src="/files/${number}.jpg">${next}`;
    },
  },
  {
    name: "builds of a manual, named by hashes",
    pages: 1 + 25 * 21,
    answer: (path) => {
      const builds = Array.from({ length: 25 }, (_, at) => createHash("md5").update(`build ${at}`).digest("hex"));
      if (path === "/")
        return page(
          "Builds",
          "Welcome",
          builds.map((build) => `/${build}/index`),
        );
      const [, build, name] = /^\/(\w{32})\/(index|c\d+)$/.exec(path) ?? [];
      if (name === undefined || !builds.includes(build!)) return undefined;
      const number = name === "index" ? 0 : Number(name.slice(1));
      const links = [2 * number + 1, 2 * number + 2].filter((to) => to <= 20).map((to) => `/${build}/c${to}`);
      return page(name, words(name, 20).join(" "), links, "chapter");
    },
  },
  {
    name: "two copies of a manual",
    pages: 3 + 2 * 400,
    answer: (path) => {
      if (path === "/") return page("Manuals", "Welcome", ["/v1/index", "/v2/index"]);
      const [, version, name] = /^\/(v[12])\/(index|c\d+)$/.exec(path) ?? [];
      if (name === undefined) return undefined;
      const number = name === "index" ? 0 : Number(name.slice(1));
      const links = [2 * number + 1, 2 * number + 2].filter((to) => to <= 400).map((to) => `/${version}/c${to}`);
      return page(name, words(name, 20).join(" "), links, "chapter");
    },
  },
];

for (const { name, answer, pages } of HONEST) {
  test(`no page is lost: ${name}`, async (t) => {
    const site = await madeUpSite(t, answer);
    const options: CrawlOptions = { retries: 0, parallelism: 10, checkResources: false };
    const { database } = await crawlInto(t, site.url, options);
    const [found] = query<{ n: number }>(database, "SELECT count(*) AS n FROM pages WHERE status = 200");
    assert.equal(found?.n, pages);
    assert.deepEqual(traps(database), []);
  });
}

test("with stopTraps off, nothing is stopped", async (t) => {
  const site = await madeUpSite(t, ENDLESS[0]!.answer);
  const { summary, database } = await crawlInto(t, site.url, { stopTraps: false, maxUrls: 500, retries: 0 });
  assert.equal(summary.state, "limit_reached");
  assert.deepEqual(traps(database), []);
});

test("a page of a trap that another page links to is fetched, even after the trap was stopped", async (t) => {
  const maze = ENDLESS[2]!.answer;
  const late = "/maze/late/and/linked/";
  const site = await madeUpSite(t, (path, asked) => {
    if (path === "/") return page("Start", "Welcome", ["/maze/", "/a1"]);
    const step = Number(/^\/a(\d+)$/.exec(path)?.[1] ?? 0);
    if (step > 0) return page(`Step ${step}`, words(path, 20).join(" "), step < 12 ? [`/a${step + 1}`] : [late]);
    return maze(path, asked);
  });
  const { database } = await crawlInto(t, site.url, { retries: 0 });
  const [stored] = query<{ verdict: string }>(database, "SELECT verdict FROM urls WHERE url = ?", site.origin + late);
  assert.equal(stored?.verdict, "crawl");
});
