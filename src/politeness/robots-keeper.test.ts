import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LaneSignal } from "../kernel/lane.ts";
import type { Note } from "../kernel/ledger.ts";
import type { CrawlContext } from "../kernel/product.ts";
import { FakeClock } from "../kernel/testing/fake-clock.ts";
import { FakeClient, type Scripted } from "../net/testing/fake-client.ts";
import { MAX_ROBOTS_BYTES } from "../web/robots/robots.ts";
import { RobotsKeeper, type RobotsSettings } from "./robots-keeper.ts";

const SITE = "https://example.com";
const FILE = `${SITE}/robots.txt`;
const PAGE = `${SITE}/private/page`;
const HOUR = 3_600_000;
const SETTINGS: RobotsSettings = { robots: "respect", robotsAgent: "trawl", retries: 2, maxCrawlDelay: 60 };

/** A keeper with everything around it in view. */
function keeping(answers: Record<string, Scripted>, settings: Partial<RobotsSettings> = {}, clock = new FakeClock()) {
  const client = new FakeClient(answers);
  const abort = new AbortController();
  const notes: Note[] = [];
  const refreshed: string[] = [];
  /** Turns and paces as they are asked for, and what the lane learned. */
  const lane: string[] = [];
  const learned: LaneSignal[] = [];
  const keeper = new RobotsKeeper({ config: { ...SETTINGS, ...settings }, client, clock });
  const context: CrawlContext = {
    turn: async (host) => {
      lane.push(`turn ${host}`);
      return {
        done: (signal) => {
          lane.push("done");
          learned.push(signal);
        },
      };
    },
    pace: async (host) => void lane.push(`pace ${host}`),
    note: (note) => notes.push(note),
    refreshPolicy: (host) => refreshed.push(host),
    openOf: () => 0,
    signal: abort.signal,
  };
  const load = (url = PAGE, inTask = false) => clock.settle(keeper.load(url, inTask, context));
  return { keeper, context, client, abort, notes, refreshed, lane, learned, clock, load };
}

const RULES = { body: "User-agent: *\nDisallow: /private/\nCrawl-delay: 2\nSitemap: https://example.com/map.xml\n" };

describe("robots keeper: what an answer means", () => {
  it("rules: the matched line is the rule", async () => {
    const { keeper, load } = keeping({ [FILE]: RULES });
    assert.equal(keeper.judge(PAGE), null, "not known yet");
    await load();
    const rule = "https://example.com/robots.txt line 2: Disallow: /private/";
    assert.deepEqual(keeper.judge(PAGE), { action: "skip", reason: "robots_disallow", rule });
    assert.equal(keeper.judge(`${SITE}/open`), null);
    assert.equal(keeper.judge("https://other.test/private/"), null, "another host's rules are not known");
    assert.deepEqual(keeper.sitemaps(PAGE), ["https://example.com/map.xml"]);
    assert.deepEqual(keeper.sitemaps("https://other.test/"), []);
  });

  for (const status of [401, 403, 404, 410]) {
    it(`${status}: everything is allowed`, async () => {
      const { keeper, client, load } = keeping({ [FILE]: { status, body: "Disallow: /" } });
      await load();
      assert.equal(keeper.judge(PAGE), null);
      assert.equal(client.asked.length, 1);
    });
  }

  for (const [name, answer] of [
    ["500", { status: 500 }],
    ["503", { status: 503 }],
    ["429", { status: 429 }],
    ["a timeout", "headers_timeout"],
    ["a reset", "reset"],
  ] as const) {
    it(`${name}: asked three times with growing pauses, then nothing is allowed`, async () => {
      const { keeper, client, clock, load, lane, learned } = keeping({ [FILE]: answer });
      const began = clock.now();
      await load();
      const verdict = keeper.judge(PAGE);
      assert.equal(verdict?.reason, "robots_unreachable");
      assert.match(verdict?.rule ?? "", /^robots\.txt (answered|could not be read)/);
      assert.equal(client.asked.length, 3);
      assert.equal(clock.now() - began, 1_500);
      assert.deepEqual(lane, ["turn example.com", "pace example.com", "pace example.com", "done"]);
      assert.equal(learned.length, 1);
    });
  }

  it("as many tries as the config says", async () => {
    const { client, load } = keeping({ [FILE]: { status: 503 } }, { retries: 0 });
    await load();
    assert.equal(client.asked.length, 1);
  });

  it("a failure that passes leaves no trace", async () => {
    const { keeper, client, load } = keeping({ [FILE]: [{ status: 503 }, RULES] });
    await load();
    assert.equal(keeper.judge(PAGE)?.reason, "robots_disallow");
    assert.equal(client.asked.length, 2);
  });

  it("Retry-After is respected between tries, and one that asks for too much ends them", async () => {
    const patient = keeping({ [FILE]: [{ status: 503, headers: { "retry-after": "7" } }, RULES] });
    const began = patient.clock.now();
    await patient.load();
    assert.equal(patient.clock.now() - began, 7_000);
    const hopeless = keeping({ [FILE]: { status: 503, headers: { "retry-after": "3600" } } });
    await hopeless.load();
    assert.equal(hopeless.client.asked.length, 1);
    assert.deepEqual(hopeless.learned, [{ kind: "overloaded", forMs: HOUR }]);
  });

  for (const code of ["dns_not_found", "connect_refused", "private_address", "tls_failed"] as const) {
    it(`${code}: no server answered, so the page's own request may say why; for a minute`, async () => {
      const { keeper, client, clock, load } = keeping({ [FILE]: code }, { retries: 0 });
      await load();
      assert.equal(keeper.judge(PAGE), null);
      assert.equal(client.asked.length, 1);
      await clock.advance(60_001);
      assert.equal(keeper.isKnown(PAGE), false);
    });
  }

  it("an endless file is kept up to its limit only", async () => {
    const { notes, load, keeper } = keeping({ [FILE]: { body: `${RULES.body}${"# more\n".repeat(200_000)}` } });
    await load();
    assert.ok(notes[0]!.value.length < 700_000);
    assert.equal(keeper.judge(PAGE)?.reason, "robots_disallow");
  });

  it("a line cut in two by the limit is ignored", async () => {
    const filler = "#".repeat(MAX_ROBOTS_BYTES - "User-agent: *\n\nDisallow: /".length);
    const { load, keeper } = keeping({ [FILE]: { body: `User-agent: *\n${filler}\nDisallow: /private/` } });
    await load();
    assert.equal(keeper.judge(`${SITE}/open`), null);
  });

  it("an HTML page instead of the file allows all", async () => {
    const { keeper, load } = keeping({ [FILE]: { body: "<!doctype html><title>Not found</title>" } });
    await load();
    assert.equal(keeper.judge(PAGE), null);
  });
});

describe("robots keeper: redirects", () => {
  const moved = (location: string) => ({ status: 301, headers: { location } });

  /** A chain of so many redirects, from host to host. */
  const chain = (length: number): Record<string, Scripted> => ({
    [FILE]: moved("https://h1.test/robots.txt"),
    ...Object.fromEntries(
      Array.from({ length }, (_, index) => [
        `https://h${index + 1}.test/robots.txt`,
        index + 1 < length ? moved(`https://h${index + 2}.test/robots.txt`) : RULES,
      ]),
    ),
  });

  it("five are followed, each by the clock of its own host, and the rules are the first host's", async () => {
    const { keeper, lane, load } = keeping(chain(5));
    await load();
    assert.equal(keeper.judge(PAGE)?.reason, "robots_disallow");
    assert.equal(keeper.judge("https://h5.test/private/"), null);
    const hops = [1, 2, 3, 4, 5].map((index) => `pace h${index}.test`);
    assert.deepEqual(lane, ["turn example.com", ...hops, "done"]);
  });

  it("a sixth counts as no file", async () => {
    const { keeper, client, notes, load } = keeping(chain(6));
    await load();
    assert.equal(keeper.judge(PAGE), null);
    assert.equal(client.asked.length, 6);
    assert.match(notes[0]!.value, /robots.txt answered 301 without a usable target/);
  });

  it("one that leads to no web address counts as no file", async () => {
    const { keeper, load } = keeping({ [FILE]: moved("file:///etc/passwd") });
    await load();
    assert.equal(keeper.judge(PAGE), null);
  });

  it("a loop ends, and one to a broken host is unreachable", async () => {
    const loop = keeping({ [FILE]: moved(FILE) });
    await loop.load();
    assert.equal(loop.client.asked.length, 6);
    assert.equal(loop.keeper.judge(PAGE), null);
    const broken = keeping({ [FILE]: moved("https://h1.test/"), "https://h1.test/": { status: 500 } }, { retries: 0 });
    await broken.load();
    assert.equal(broken.keeper.judge(PAGE)?.reason, "robots_unreachable");
  });
});

describe("robots keeper: turns", () => {
  it("a task that waits has its own departure: no turn, which its own lane could not grant", async () => {
    const { lane, load } = keeping({ [FILE]: { status: 301, headers: { location: "/other.txt" } } });
    await load(PAGE, true);
    assert.deepEqual(lane, ["pace example.com"]);
  });

  it("two simultaneous callers share one request", async () => {
    const { keeper, client, context } = keeping({ [FILE]: RULES });
    await Promise.all([keeper.load(PAGE, false, context), keeper.load(`${SITE}/other`, true, context)]);
    assert.deepEqual(client.asked, [`GET ${FILE}`]);
  });

  it("http and https have their own files", async () => {
    const { client, load } = keeping({ [FILE]: RULES });
    await load();
    await load("http://example.com/");
    assert.deepEqual(client.asked, [`GET ${FILE}`, "GET http://example.com/robots.txt"]);
  });

  it("the lane reads its policy again", async () => {
    const { refreshed, load } = keeping({ "https://example.com:8443/robots.txt": RULES });
    await load("https://example.com:8443/");
    assert.deepEqual(refreshed, ["example.com:8443"]);
  });

  it("a stop ends the wait before the next try, and nothing is remembered", async () => {
    const { keeper, context, abort, clock, notes, lane } = keeping({ [FILE]: { status: 503 } });
    const loading = keeper.load(PAGE, false, context);
    await clock.advance(100);
    abort.abort();
    await assert.rejects(loading, { name: "AbortError" });
    assert.deepEqual(notes, []);
    assert.equal(clock.timers, 0);
    assert.deepEqual(lane, ["turn example.com", "done"]);
  });
});

describe("robots keeper: memory", () => {
  it("rules hold for a day, then the file is requested again", async () => {
    const { keeper, client, clock, load } = keeping({ [FILE]: [RULES, { status: 404 }] });
    await load();
    await clock.advance(24 * HOUR - 1);
    assert.equal(keeper.isKnown(PAGE), true);
    await load();
    assert.equal(client.asked.length, 1);
    await clock.advance(1);
    assert.equal(keeper.isKnown(PAGE), false);
    assert.equal(keeper.judge(PAGE)?.reason, "robots_disallow", "until then the old rules stand");
    await load();
    assert.equal(keeper.judge(PAGE), null);
  });

  it("a failure is remembered longer each time it repeats", async () => {
    const { keeper, clock, load } = keeping({ [FILE]: { status: 503 } });
    await load();
    await clock.advance(4 * 60_000 - 1);
    assert.equal(keeper.isKnown(PAGE), true);
    await clock.advance(1);
    assert.equal(keeper.isKnown(PAGE), false);
  });

  it("a note brings everything back after a restart: rules, sitemaps, delay and expiry", async () => {
    const first = keeping({ [FILE]: RULES });
    await first.load();
    assert.deepEqual(
      first.notes.map((note) => note.key),
      ["robots:https://example.com"],
    );
    const second = keeping({}, {}, first.clock);
    second.keeper.recoverNote({ key: "something:else", value: "no JSON" });
    second.keeper.recoverNote(first.notes[0]!);
    assert.deepEqual(second.keeper.judge(PAGE), first.keeper.judge(PAGE));
    assert.deepEqual(second.keeper.sitemaps(PAGE), first.keeper.sitemaps(PAGE));
    assert.equal(second.keeper.crawlDelayMs("example.com"), 2_000);
    await second.load();
    assert.deepEqual(second.client.asked, []);
    await first.clock.advance(24 * HOUR);
    assert.equal(second.keeper.isKnown(PAGE), false);
  });
});

describe("robots keeper: crawl-delay", () => {
  it("is that of our own group, up to the limit, whatever the scheme it was read by", async () => {
    const body = "User-agent: *\nCrawl-delay: 1\n\nUser-agent: trawl\nCrawl-delay: 100\n";
    const { keeper, load } = keeping({ "http://example.com/robots.txt": { body } }, { maxCrawlDelay: 5 });
    assert.equal(keeper.crawlDelayMs("example.com"), 0);
    await load("http://example.com/");
    assert.equal(keeper.crawlDelayMs("example.com"), 5_000);
    assert.equal(keeper.crawlDelayMs("other.test"), 0);
  });
});

describe("robots keeper: modes", () => {
  it("ignore: nothing is judged", async () => {
    const { keeper, load } = keeping({ [FILE]: RULES }, { robots: "ignore" });
    await load();
    assert.equal(keeper.judge(PAGE), null);
    assert.equal(keeper.crawlDelayMs("example.com"), 0);
  });

  it("ignore-report: what is forbidden is crawled, and says so", async () => {
    const { keeper, load } = keeping({ [FILE]: RULES }, { robots: "ignore-report" });
    await load();
    const rule = "https://example.com/robots.txt line 2: Disallow: /private/";
    assert.deepEqual(keeper.judge(PAGE), { action: "crawl", reason: "robots_ignored", rule });
    assert.equal(keeper.judge(`${SITE}/open`), null);
    assert.equal(keeper.crawlDelayMs("example.com"), 0);
    const failing = keeping({ [FILE]: { status: 500 } }, { robots: "ignore-report" });
    await failing.load();
    assert.equal(failing.keeper.judge(PAGE)?.reason, "robots_ignored");
  });
});
