import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { until } from "../../net/testing/until.ts";
import { smallSite } from "../testing/small-site.ts";
import { type CrawlSummary, crawl, type Page, type Resource } from "./library.ts";

const SPIDER = { discovery: ["spider" as const] };

test("library: the example of the front page", async (t) => {
  const site = await smallSite(t, 7, (path, response) => {
    if (path !== "/") return false;
    const html = "<title>Home</title><script src=/gtag/js></script><a href=/page/2>2</a><a href=/page/3>3</a>";
    response.writeHead(200, { "content-type": "text/html" }).end(html);
    return true;
  });
  const asked: string[] = [];
  const lines: string[] = [];
  const run = crawl(site.url, {
    skipTrackers: false,
    onUrl: (url) => {
      asked.push(url);
      return url.includes("/gtag/js") ? "skip" : "crawl";
    },
  });
  for await (const page of run) lines.push(`${page.status} ${page.url} ${page.title}`);
  const { state, crawled, skipped, reasons, open } = await run.summary;
  assert.deepEqual(lines.slice(0, 2), [`200 ${site.url} Home`, `200 ${site.url}page/2 Page 2`]);
  assert.equal(lines.length, 7);
  // The seven pages. Two addresses at which a sitemap is usual, and is not, count as skipped.
  assert.deepEqual({ state, crawled, skipped, open }, { state: "completed", crawled: 7, skipped: 3, open: 0 });
  assert.deepEqual(reasons, { hook: 1, no_sitemap: 2 });
  assert.equal(new Set(asked).size, asked.length, "each URL is asked about once");
  assert.ok(!site.asked.includes("GET /gtag/js"));
});

test("library: pages that come before the loop begins wait for it", async (t) => {
  const site = await smallSite(t, 5);
  const run = crawl(site.url, SPIDER);
  await until(() => site.asked.includes("GET /page/5"));
  const urls: string[] = [];
  for await (const page of run) urls.push(page.url);
  assert.equal(urls.length, 5);
  assert.equal(urls[0], site.url);
});

test("library: a page as its user gets it", async (t) => {
  const html = `<!doctype html><html lang=en><title>T</title><meta name=description content=D>
    <link rel=canonical href=/><h1>H</h1><nav><a href="/page/2" rel=nofollow>two</a></nav><a href="https://other.test/">out</a>`;
  const site = await smallSite(t, 1, (path, response) => {
    if (path !== "/") return false;
    const headers = { "content-type": "text/html", "set-cookie": ["a=1", "b=2"], "x-twice": ["1", "2"] };
    response.writeHead(200, headers).end(html);
    return true;
  });
  const pages: Page[] = [];
  for await (const page of crawl(site.url, { ...SPIDER, maxUrls: 1 })) pages.push(page);
  const { timeMs, contentHash, wordCount, headers, ...page } = pages[0]!;
  assert.ok(timeMs > 0 && contentHash!.length > 0 && wordCount === 3);
  assert.equal(headers["content-type"], "text/html");
  assert.equal(headers["set-cookie"], "a=1\nb=2");
  assert.equal(headers["x-twice"], "1, 2");
  const link = { type: "anchor", position: "content", internal: true, nofollow: false };
  assert.deepEqual(page, {
    ...{ url: site.url, status: 200, title: "T", description: "D", h1: "H", language: "en", contentType: "text/html" },
    ...{ indexable: true, indexability: null, canonical: site.url, depth: 0, foundOn: null, html, text: "H two out" },
    links: [
      {
        ...link,
        url: site.url,
        type: "canonical",
        text: "",
        position: page.links[0]!.position,
        context: "",
        action: "crawl",
      },
      {
        ...link,
        url: `${site.url}page/2`,
        text: "two",
        position: "navigation",
        nofollow: true,
        context: "",
        action: "skip",
      },
      { ...link, url: "https://other.test/", text: "out", internal: false, context: "", action: "record" },
    ],
  });
});

test("library: callbacks get pages, all else that was fetched, what failed, and the end", async (t) => {
  const site = await smallSite(t, 2, (path, response) => {
    if (path === "/page/2") response.writeHead(301, { location: "/pic.png" }).end();
    else if (path === "/pic.png") response.writeHead(200, { "content-type": "image/png" }).end("png");
    else if (path === "/broken") response.destroy();
    else if (path === "/") {
      response.writeHead(200, { "content-type": "text/html" }).end("<a href=/page/2></a><a href=/broken></a>");
    } else return false;
    return true;
  });
  const pages: string[] = [];
  const resources: Resource[] = [];
  const ends: CrawlSummary[] = [];
  const run = crawl(site.url, {
    ...SPIDER,
    retries: 0,
    onPage: (page) => pages.push(page.url),
    onResource: (resource) => resources.push(resource),
    onComplete: (summary) => ends.push(summary),
  });
  const summary = await run.summary;
  assert.deepEqual(pages, [site.url]);
  assert.deepEqual(
    resources.map(({ url, kind, status, contentType, size, error }) => [
      ...[url.slice(site.url.length), kind, status, contentType, size, error],
    ]),
    [
      ["page/2", "anchor", 301, null, 0, null],
      ["broken", "anchor", null, null, null, "reset"],
      ["pic.png", "anchor", 200, "image/png", 3, null],
    ],
  );
  assert.deepEqual(ends, [summary]);
  assert.equal(summary.errors, 1);
});

test("library: onComplete may ask for the summary, stop, pause, resume and loop, and is waited for all the same", async (t) => {
  const site = await smallSite(t, 3);
  const steps: unknown[] = [];
  const run = crawl(site.url, {
    ...SPIDER,
    onComplete: async (summary) => {
      steps.push((await run.stop()) === summary, (await run.summary) === summary);
      await run.pause();
      await run.resume();
      for await (const page of run) steps.push(page);
      steps.push("completed");
    },
  });
  const { crawled } = await run.summary;
  assert.deepEqual(steps, [true, true, "completed"]);
  assert.equal(crawled, 3);
});

test("library: an error in onComplete reaches earlier callers, even if it asked for the summary itself", async (t) => {
  const site = await smallSite(t, 1);
  const run = crawl(site.url, {
    ...SPIDER,
    onComplete: async () => {
      await run.summary;
      throw new Error("mine");
    },
  });
  await assert.rejects(run.summary, { message: "mine" });
  await assert.rejects(run.stop(), { message: "mine" });
});

test("library: a loop that is left while onComplete runs throws the error of that", async (t) => {
  const site = await smallSite(t, 1);
  const completing = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const onComplete = async () => {
    completing.resolve();
    await left.promise;
    throw new Error("mine");
  };
  const loop = async () => {
    for await (const _ of crawl(site.url, { ...SPIDER, onComplete })) {
      await completing.promise;
      left.resolve();
      break;
    }
  };
  await assert.rejects(loop(), { message: "mine" });
});

test("library: a slow reader holds the crawl back, and gets every page in the end", async (t) => {
  const site = await smallSite(t, 300);
  const run = crawl(site.url, { ...SPIDER, parallelism: 10 });
  t.after(() => run.stop());
  const pages = run[Symbol.asyncIterator]();
  const first = await pages.next();
  assert.equal((first.value as Page).url, site.url);
  // Nobody reads on: the crawl comes to rest with a hundred pages waiting and what was under way.
  let before = 0;
  let quiet = 0;
  await until(() => {
    quiet = site.asked.length === before && before > 100 ? quiet + 1 : 0;
    before = site.asked.length;
    return quiet > 500;
  });
  assert.ok(site.asked.length <= 130, `${site.asked.length} requests were made for a reader who took one page`);
  let count = 1;
  for (let next = await pages.next(); !next.done; next = await pages.next()) count++;
  assert.equal(count, 300);
  assert.equal((await run.summary).crawled, 300);
});

test("library: a caller that only awaits the summary is not held back", async (t) => {
  const site = await smallSite(t, 150);
  assert.equal((await crawl(site.url, SPIDER).summary).crawled, 150);
});

test("library: a crawl without a database leaves nothing behind, however it ends", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  const { TMPDIR } = process.env;
  process.env["TMPDIR"] = folder;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  });
  const site = await smallSite(t, 3);
  for await (const _ of crawl(site.url, SPIDER)) assert.equal(readdirSync(folder).length, 1);
  await assert.rejects(crawl(site.url, { ...SPIDER, exclude: ["/(/"] }).summary, { code: "BAD_CONFIG" });
  const run = crawl(site.url, SPIDER);
  await run.stop();
  const failing = crawl(site.url, {
    onPage: () => {
      throw new Error("mine");
    },
  });
  await assert.rejects(failing.summary, { message: "mine" });
  assert.deepEqual(readdirSync(folder), []);
});

test("library: with a database, a stopped crawl can be resumed", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const options = { ...SPIDER, database: join(folder, "crawl.db") };
  const site = await smallSite(t, 63);
  let stopped: CrawlSummary | undefined;
  for await (const _ of crawl(site.url, { ...options, onComplete: (summary) => (stopped = summary) })) break;
  assert.equal(stopped?.state, "stopped");
  assert.ok(stopped.open > 0);
  const seen: string[] = [];
  for await (const page of crawl(site.url, options)) seen.push(page.url);
  const again = crawl(site.url, options);
  assert.deepEqual([(await again.summary).crawled, (await again.summary).open], [63, 0]);
  assert.equal(new Set(seen).size, seen.length);
});

const cases: [name: string, url: string, options: object, error: object][] = [
  ["no URL", "not a url", {}, { code: "BAD_URL" }],
  ["no web URL", "ftp://example.com", {}, { code: "BAD_URL" }],
  ["a setting nobody knows", "example.com", { maxUrl: 1 }, { code: "BAD_CONFIG", message: /did you mean maxUrls/ }],
  ["a folder that is not there", "example.com", { database: "/nowhere/at/all.db" }, { code: "STORE_FAILED" }],
  ["a folder for a database", "example.com", { database: tmpdir() }, { code: "STORE_FAILED" }],
  ["a callback that is not a function", "example.com", { onPage: "log" }, { code: "BAD_CONFIG", message: /^onPage:/ }],
  ["a signal that is not an AbortSignal", "example.com", { signal: {} }, { code: "BAD_CONFIG", message: /^signal:/ }],
  ["a database that is not a path", "example.com", { database: 5 }, { code: "BAD_CONFIG", message: /^database:/ }],
  ["a cache folder that cannot be made", "example.com", { cacheDir: "/dev/null/x/y" }, { code: "FILE_NOT_WRITABLE" }],
  ["a certificate file that is not there", "example.com", { ca: "/nowhere.pem" }, { code: "FILE_NOT_READABLE" }],
];
for (const [name, url, options, error] of cases) {
  test(`library: ${name} rejects the summary, the iteration, and stop()`, async () => {
    await assert.rejects(crawl(url, options).summary, error);
    await assert.rejects(async () => {
      for await (const _ of crawl(url, options)) assert.fail();
    }, error);
    await assert.rejects(crawl(url, options).stop(), error);
  });
}

const withImage = (path: string, response: ServerResponse): boolean => {
  if (path === "/")
    response.writeHead(200, { "content-type": "text/html" }).end("<img src=/i.png><a href=/page/2>2</a>");
  return path === "/";
};

for (const hook of ["onUrl", "onPage", "onResource", "onComplete"] as const) {
  test(`library: an error thrown in ${hook} rejects the summary and the iteration`, async (t) => {
    const site = await smallSite(t, 3, withImage);
    const options = {
      // One that is not there: a resource.
      sitemapUrls: [`${site.url}missing.xml`],
      [hook]: () => {
        throw new Error("mine");
      },
    };
    const run = crawl(site.url, options);
    await assert.rejects(
      async () => {
        for await (const _ of run);
      },
      { message: "mine" },
    );
    await assert.rejects(run.summary, { message: "mine" });
  });
}

for (const hook of ["onPage", "onResource", "onComplete"] as const) {
  test(`library: a promise of ${hook} that rejects ends the crawl, and rejects the summary`, async (t) => {
    const site = await smallSite(t, 300);
    const sitemapUrls = [`${site.url}missing.xml`];
    const run = crawl(site.url, { sitemapUrls, [hook]: () => Promise.reject(new Error("mine")) });
    await assert.rejects(run.summary, { message: "mine" });
    if (hook !== "onComplete") assert.ok(site.asked.length < 300, "it is stopped");
  });
}

test("library: with callbacks alone, an error that nobody awaits ends the process like any other", async () => {
  const library = new URL("./library.ts", import.meta.url).href;
  const program = (options: string) => `import { crawl } from "${library}"; crawl("ftp://example.com", ${options});`;
  const run = (options: string) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", program(options)]);
  await assert.rejects(run("{ onComplete() {} }"), { code: 1, stderr: /BAD_URL/ });
  // Here a loop may still begin, and would be told.
  await run("{}");
});

for (const answer of ["yes", null, true, Promise.resolve("skip")]) {
  test(`library: onUrl that answers ${answer} fails with what was expected`, async (t) => {
    const site = await smallSite(t, 1);
    const onUrl = () => answer as unknown as undefined;
    await assert.rejects(crawl(site.url, { onUrl }).summary, {
      code: "BAD_CONFIG",
      message: /^onUrl: expected "crawl"/,
    });
  });
}

test("library: two loops share the pages, and both end", async (t) => {
  const site = await smallSite(t, 20);
  const run = crawl(site.url, SPIDER);
  const seen: string[] = [];
  const loop = async () => {
    for await (const page of run) seen.push(page.url);
  };
  await Promise.all([loop(), loop()]);
  assert.equal(new Set(seen).size, 20);
  assert.equal(seen.length, 20);
});

test("library: a database is one crawl's at a time", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const options = { ...SPIDER, database: join(folder, "crawl.db") };
  const site = await smallSite(t, 3);
  const first = crawl(site.url, options);
  await assert.rejects(crawl(site.url, options).summary, { code: "CRAWL_BUSY" });
  assert.equal((await first.summary).crawled, 3);
  assert.equal((await crawl(site.url, options).summary).state, "completed");
});

test("library: a signal that is aborted already lets nothing be asked for but what was under way", async (t) => {
  const site = await smallSite(t, 3);
  const summary = await crawl(site.url, { ...SPIDER, signal: AbortSignal.abort() }).summary;
  assert.equal(summary.state, "stopped");
  assert.ok(!site.asked.includes("GET /"));
});

test("library: a signal is let go of when the crawl has ended", async (t) => {
  const site = await smallSite(t, 1);
  const { signal } = new AbortController();
  await crawl(site.url, { ...SPIDER, signal }).summary;
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});

test("library: stopped while robots.txt is awaited, it ends", async (t) => {
  let silent = 0;
  const site = await smallSite(t, 1, (path) => {
    if (path !== "/robots.txt") return false;
    silent++;
    return true;
  });
  const run = crawl(site.url, SPIDER);
  await until(() => silent > 0);
  assert.equal((await run.stop()).state, "stopped");
});

test("library: a link has what was decided about its URL, by the hook, the scope or robots.txt, also on a later page", async (t) => {
  const link = (path: string) => `<a href=${path}>${path}</a>`;
  const home = `<p>Read <a href=/page/2>two</a> or ${["/raw", "/secret", "/private", "https://other.test/"].map(link).join(" ")}`;
  const second = ["/", "/private", "/raw"].map(link).join(" ");
  const site = await smallSite(t, 0, (path, response) => {
    if (path === "/robots.txt") response.end("User-agent: *\nDisallow: /private");
    else response.writeHead(200, { "content-type": "text/html" }).end(path === "/" ? home : second);
    return true;
  });
  const onUrl = (url: string) => (url.endsWith("/raw") ? "record" : url.endsWith("/secret") ? "skip" : undefined);
  const actions: Record<string, string[]> = {};
  const contexts: string[] = [];
  for await (const { url, links } of crawl(site.url, { ...SPIDER, onUrl })) {
    contexts.push(links[0]?.context ?? "");
    actions[new URL(url).pathname] = links.map(({ url, action }) => `${url.replace(site.url, "/")} ${action}`);
  }
  assert.match(contexts[0]!, /Read two or/);
  assert.deepEqual(actions, {
    "/": ["/page/2 crawl", "/raw record", "/secret skip", "/private skip", "https://other.test/ record"],
    "/page/2": ["/ crawl", "/private skip", "/raw record"],
  });
});

test("library: progress counts what was found and fetched, from before the start to after the end", async (t) => {
  const site = await smallSite(t, 5);
  const run = crawl(site.url, SPIDER);
  assert.deepEqual(run.progress.state, "new");
  assert.equal(run.progress.discovered, 0);
  const counts: number[] = [];
  for await (const _ of run) counts.push(run.progress.crawled);
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
  );
  const { state, crawled, open, inFlight } = run.progress;
  const summary = await run.summary;
  assert.deepEqual(
    { state, crawled, open, inFlight },
    { state: "completed", crawled: summary.crawled, open: 0, inFlight: 0 },
  );
  assert.equal(summary.totalPages, 5);
});

test("library: a list of URLs is fetched without following links", async (t) => {
  const site = await smallSite(t, 7);
  const urls: string[] = [];
  const run = crawl([`${site.url}page/2`, `${site.url}page/3`, `${site.url}page/3#again`]);
  for await (const page of run) urls.push(page.url);
  assert.deepEqual(urls, [`${site.url}page/2`, `${site.url}page/3`]);
  assert.equal((await run.summary).state, "completed");
  await assert.rejects(crawl([]).summary, { code: "BAD_URL" });
  await assert.rejects(crawl(["https://example.com", 3 as never]).summary, { code: "BAD_URL" });
});

test("library: pages and resources say where they were found and where they redirect to", async (t) => {
  const site = await smallSite(t, 3, (path, response) => {
    if (path !== "/page/3") return false;
    response.writeHead(301, { location: "/none", "x-a": "1" }).end();
    return true;
  });
  const found = new Map<string, string | null>();
  const resources: Resource[] = [];
  const onPage = ({ url, foundOn }: Page) => void found.set(url, foundOn);
  await crawl(site.url, { ...SPIDER, onPage, onResource: (resource) => void resources.push(resource) }).summary;
  assert.deepEqual(
    [...found],
    [
      [site.url, null],
      [`${site.url}page/2`, site.url],
    ],
  );
  const [moved, missing] = resources;
  assert.deepEqual([moved!.foundOn, moved!.redirectTo, moved!.headers!["x-a"]], [site.url, `${site.url}none`, "1"]);
  assert.deepEqual([missing!.status, missing!.foundOn, missing!.redirectTo], [404, `${site.url}page/3`, null]);
});

test("library: run.add crawls more URLs while the crawl runs, and rejects after its end", async (t) => {
  const held = Promise.withResolvers<ServerResponse>();
  const site = await smallSite(t, 1, (path, response) => {
    if (path === "/") held.resolve(response);
    else if (path === "/more") response.writeHead(200, { "content-type": "text/html" }).end("<a href=/linked>l</a>");
    else return false;
    return true;
  });
  const run = crawl(site.url, SPIDER);
  const response = await held.promise;
  await assert.rejects(run.add("ftp://example.com/"), { code: "BAD_URL" });
  await run.add(`${site.url}more`);
  response.writeHead(200, { "content-type": "text/html" }).end("<title>Home</title>");
  const urls: string[] = [];
  for await (const { url } of run) urls.push(url);
  assert.deepEqual(urls, [site.url, `${site.url}more`]);
  assert.ok(site.asked.includes("GET /linked"));
  await assert.rejects(run.add(site.url), { code: "CRAWL_ENDED" });
});
