import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../kernel/clock.ts";
import type { Lookup } from "../../net/http-types.ts";
import { serveHttp } from "../../net/testing/servers.ts";
import { parseConfig, SETTINGS } from "../../site/site-config.ts";
import { REMOTE } from "../caller.ts";
import { seedConfig } from "../operations/config.ts";
import { someSettings } from "../operations/crawling.ts";
import { COMMAND_READING, Reading } from "../reading/reading.ts";
import { smallSite, temporaryCrawls, temporaryHome } from "../testing/small-site.ts";
import { Configs, fromSeedConfig, toSeedConfig } from "./configs.ts";
import { checkSettings, settingForms } from "./setting-checks.ts";

function openConfigs(t: TestContext, home = temporaryHome(t)): Configs {
  return new Configs({
    db: () => temporaryCrawls(t, home).registry.db,
    clock: systemClock,
    reading: new Reading(COMMAND_READING),
  });
}

test("configs: an unconfigured domain has the defaults, under the seed's names too", (t) => {
  const config = openConfigs(t).get("www.example.com/some/page");
  assert.deepEqual(
    [config.domain, config.changed, config.createdAt, config.updatedAt],
    ["example.com", [], null, null],
  );
  assert.deepEqual(config.settings, parseConfig({}));
  const { jsRenderingEnabled, parallelism, includeSubdomains, singlePageMode, checkExternalResources } = config;
  assert.deepEqual(
    [jsRenderingEnabled, parallelism, includeSubdomains, singlePageMode, checkExternalResources],
    [false, 5, true, false, true],
  );
  assert.deepEqual([config.sitemapURLs, config.discoveryMechanisms], [[], ["spider", "sitemap"]]);
});

test("configs: both kinds of names change the same settings; omitted settings stay; null is the default", (t) => {
  const home = temporaryHome(t);
  const configs = openConfigs(t, home);
  configs.update({ url: "example.com", jsRenderingEnabled: true, settings: { maxUrls: 50 } });
  const second = configs.update({ url: "https://shop.example.com/", singlePageMode: true, settings: { rate: 2 } });
  assert.deepEqual(second.changed, ["singlePage", "maxUrls", "rate", "render"]);
  const third = openConfigs(t, home).update({ url: "example.com", settings: { maxUrls: null } });
  assert.deepEqual(third.changed, ["singlePage", "rate", "render"]);
  assert.equal(third.settings["maxUrls"], 0);
  assert.ok(third.createdAt! <= third.updatedAt!);
  assert.deepEqual(configs.get("other.test").changed, []);
});

test("configs: ways to find URLs leave resources alone, and the older way to name them is accepted", (t) => {
  const configs = openConfigs(t);
  const config = configs.update({ url: "example.com", discoveryMechanisms: ["spider"] });
  assert.deepEqual([config.changed, config.settings["checkResources"]], [["discovery"], true]);
  const older = configs.update({ url: "example.com", discoveryMechanisms: ["spider", "sitemap", "resources"] });
  assert.deepEqual([older.changed, older.discoveryMechanisms], [[], ["spider", "sitemap"]]);
  const form = settingForms().find(({ name }) => name === "discovery")!;
  assert.deepEqual((form.schema["items"] as { enum: string[] }).enum, ["spider", "sitemap", "network", "llms"]);
});

test("configs: a mistake is named, and nothing of the update is kept", (t) => {
  const configs = openConfigs(t);
  const wrong = [
    { settings: { maxUrlz: 5 } },
    { settings: { rate: "fast" } },
    { settings: { exclude: ["/(/"] } },
    { settings: { connectTo: ["nowhere"] } },
    { parallelism: 0 },
    { discoveryMechanisms: ["psychic"] },
  ];
  for (const update of wrong) {
    assert.throws(() => configs.update({ url: "example.com", singlePageMode: true, ...update }), {
      code: "BAD_CONFIG",
    });
  }
  assert.deepEqual(configs.get("example.com").changed, []);
  assert.deepEqual(
    checkSettings({ maxUrlz: 5, rate: -1, exclude: ["/(/"] }).problems.map(({ setting }) => setting),
    ["rate", "maxUrlz"],
  );
  const { isValid, problems } = checkSettings({ exclude: ["*/ok", "/(/"] });
  assert.deepEqual([isValid, problems[0]!.setting], [false, "exclude.1"]);
  const { settings, ...good } = checkSettings({ rate: 2 });
  assert.deepEqual(good, { isValid: true, problems: [], changed: ["rate"] });
  assert.deepEqual([settings?.["rate"], settings?.["maxDepth"]], [2, 0]);
});

test("configs: secrets are hidden, and a form that sends them back hidden does not lose them", (t) => {
  const configs = openConfigs(t);
  const settings = { auth: "me:secret", headers: { "X-Key": "secret" } };
  const shown = configs.update({ url: "example.com", settings });
  assert.doesNotMatch(JSON.stringify(shown), /secret/);
  configs.update({ url: "example.com", settings: { ...shown.settings, maxUrls: 9 } });
  const { auth, headers, maxUrls } = configs.resolve("example.com", { auth: shown.settings["auth"] as string });
  assert.deepEqual([auth, headers, maxUrls], ["me:secret", { "X-Key": "secret" }, 9]);
});

test("configs: a crawl gets the defaults, then the domain's settings, then what is given", (t) => {
  const configs = openConfigs(t);
  configs.update({ url: "example.com", settings: { maxUrls: 50, rate: 2 } });
  const given = someSettings.parse({ rate: 9 });
  assert.deepEqual(given, { rate: 9 }, "the schema of some settings adds no defaults");
  const { maxUrls, rate, maxDepth } = configs.resolve("https://example.com/a", given);
  assert.deepEqual([maxUrls, rate, maxDepth], [50, 9, 0]);
  assert.throws(() => configs.resolve("example.com", { exclude: ["/(/"] }), { code: "BAD_CONFIG" });
});

test("configs: settings are a project's own: subdomains share them, neighbours on a suffix and other ports do not", (t) => {
  const configs = openConfigs(t);
  for (const url of ["https://alice.github.io", "http://dev.test:8080", "https://example.com"]) {
    configs.update({ url, settings: { maxUrls: 7 } });
  }
  const limitOf = (url: string) => configs.resolve(url).maxUrls;
  const same = ["http://alice.github.io/a", "dev.test:8080", "https://example.com:443/", "http://www.example.com:80"];
  assert.deepEqual(same.map(limitOf), [7, 7, 7, 7]);
  const others = ["https://bob.github.io", "http://dev.test:9090", "http://dev.test", "https://example.com:8443"];
  assert.deepEqual(others.map(limitOf), [0, 0, 0, 0]);
});

test("configs: without subdomains in the scope, a host has settings of its own", (t) => {
  const configs = openConfigs(t);
  configs.update({ url: "example.com", settings: { maxUrls: 7 } });
  const own = configs.update({ url: "docs.example.com", includeSubdomains: false, settings: { maxUrls: 9 } });
  assert.equal(own.domain, "docs.example.com");
  const limits = () =>
    ["docs.example.com", "www.example.com", "example.com"].map((url) => configs.resolve(url).maxUrls);
  assert.deepEqual(limits(), [9, 7, 7]);
  configs.update({ url: "example.com", includeSubdomains: false });
  assert.deepEqual(limits(), [9, 0, 7], "its subdomains are not its own any more");
  const joined = configs.update({ url: "docs.example.com", includeSubdomains: true });
  assert.equal(joined.domain, "example.com");
  assert.deepEqual(limits(), [9, 9, 9]);
});

test("configs: secrets are kept for the origin they were saved for, and removed with the project", (t) => {
  const configs = openConfigs(t);
  const headers = { "X-Key": "k", "Accept-Language": "fr" };
  configs.update({ url: "https://example.com/", settings: { auth: "me:pass", headers } });
  const secretsOf = (url: string) => {
    const { auth, headers } = configs.resolve(url);
    return [auth, headers];
  };
  assert.deepEqual(secretsOf("https://example.com/x"), ["me:pass", headers]);
  const plain = [null, { "Accept-Language": "fr" }];
  assert.deepEqual(secretsOf("http://example.com/"), plain, "never from https to http");
  assert.deepEqual(secretsOf("https://www.example.com/"), plain);
  assert.deepEqual(secretsOf("https://docs.example.com/"), plain);
  configs.update({ url: "http://example.com/", settings: { auth: "plain:pass" } });
  assert.deepEqual(secretsOf("https://example.com/"), ["me:pass", headers]);
  assert.deepEqual(secretsOf("http://example.com/")[0], "plain:pass");
  configs.update({ url: "https://example.com/", settings: { auth: null } });
  assert.deepEqual(secretsOf("https://example.com/"), [null, headers]);
  configs.update({ url: "https://docs.example.com/", settings: { auth: "docs:pass" } });
  configs.remove("example.com");
  for (const url of ["https://example.com/", "http://example.com/", "https://docs.example.com/"])
    assert.deepEqual(secretsOf(url), [null, {}]);
});

test("configs: saved secrets are sent to another origin only if they are given again", (t) => {
  const configs = openConfigs(t);
  const url = "https://example.com/";
  const credentialOrigins = ["https://evil.test"];
  configs.update({ url, settings: { auth: "me:pass" } });
  assert.throws(() => configs.resolve(url, { credentialOrigins }), { code: "BAD_CONFIG" });
  assert.throws(() => configs.update({ url, settings: { credentialOrigins } }), { code: "BAD_CONFIG" });
  assert.throws(() => configs.update({ url, settings: { auth: "…", credentialOrigins } }), { code: "BAD_CONFIG" });
  configs.update({ url, settings: { auth: "new:pass", credentialOrigins } });
  assert.deepEqual(configs.resolve(url).credentialOrigins, credentialOrigins);
});

test("configs: in a list, what was saved for the first URL's origin is for that origin only", (t) => {
  const configs = openConfigs(t);
  configs.update({ url: "https://example.com/", settings: { auth: "me:pass" } });
  const originsOf = (url: string, given = {}) => configs.resolveForList(url, given).credentialOrigins;
  assert.deepEqual(originsOf("https://example.com/a"), ["https://example.com"]);
  assert.deepEqual(originsOf("https://example.com/a", { auth: "other:pass" }), []);
  assert.deepEqual(originsOf("https://other.test/", { headers: { "X-Key": "k" } }), []);
});

test("configs: every setting has what a form needs, and a few are common", () => {
  const forms = settingForms();
  assert.deepEqual(
    forms.map(({ name }) => name),
    SETTINGS.map(({ name }) => name),
  );
  assert.equal(forms.filter(({ isCommon }) => isCommon).length, 8);
  const rate = forms.find(({ name }) => name === "rate")!;
  assert.deepEqual(
    [rate.group, rate.default, rate.schema["type"], rate.schema["minimum"]],
    ["politeness", 0, "number", 0],
  );
  for (const { name, schema } of forms) assert.ok(schema["type"] ?? schema["anyOf"], name);
});

test("configs: URLs are tried by the rules of a real crawl, without one", async (t) => {
  const site = await smallSite(t, 3, (path, response) => {
    if (path === "/robots.txt") response.end("User-agent: *\nDisallow: /private\n");
    return path === "/robots.txt";
  });
  const configs = openConfigs(t);
  configs.update({ url: site.url, settings: { exclude: ["*/tag/*"] } });
  const ask = (askRobots: boolean) =>
    configs.testRules({
      start: site.url,
      urls: [
        "/",
        "/a?utm_source=x",
        "/tag/b",
        "/private/c",
        "https://elsewhere.test/",
        "mailto:x@y.test",
        "/a/a/a/a/a",
      ],
      settings: someSettings.parse({ maxUrls: 1 }),
      askRobots,
    });
  const short = (tested: Awaited<ReturnType<typeof ask>>) =>
    tested.map(({ verdict, reason }) => [verdict, reason].filter((part) => part !== null).join(" "));
  const tested = await ask(true);
  assert.deepEqual(short(tested), [
    "crawl",
    "crawl",
    "skip excluded",
    "skip robots_disallow",
    "record external",
    "skip",
    "skip path_loop",
  ]);
  assert.deepEqual([tested[1]!.url, tested[5]!.url], [`${site.url}a`, null]);
  assert.equal(tested[2]!.rule, "*/tag/*");
  assert.match(tested[3]!.rule!, /robots\.txt line 2: /);
  assert.ok(tested[2]!.meaning && tested[5]!.meaning);
  assert.deepEqual(site.asked, ["GET /robots.txt"], "nothing but robots.txt was asked, and of the own host only");
  assert.equal(short(await ask(false))[3], "crawl");
  assert.equal(site.asked.length, 1);
});

test("seed config: every name of the operation has a setting, and comes back as it went", () => {
  const seed = {
    jsRenderingEnabled: true,
    parallelism: 7,
    userAgent: "bluesnake/1.0",
    includeSubdomains: false,
    singlePageMode: true,
    discoveryMechanisms: ["spider", "sitemap"],
    sitemapURLs: ["https://example.com/map.xml"],
    checkExternalResources: false,
  };
  assert.deepEqual(Object.keys(seed).sort(), Object.keys(seedConfig.shape).sort());
  assert.deepEqual(toSeedConfig(parseConfig(fromSeedConfig(seed))), seed);
  assert.deepEqual(fromSeedConfig({ parallelism: 3, userAgent: undefined }), { parallelism: 3 });
});

test("configs: on a server, patterns are compiled elsewhere, and nothing is saved if one cannot be", async (t) => {
  const home = temporaryHome(t);
  const checked: unknown[] = [];
  const reading = new Reading(COMMAND_READING);
  const settings: Reading["settings"] = (given) => {
    checked.push(given);
    return reading.settings(given);
  };
  const configs = new Configs({
    db: () => temporaryCrawls(t, home).registry.db,
    clock: systemClock,
    reading: { settings, rules: (task) => reading.rules(task), robots: (task) => reading.robots(task) },
  });
  const url = "https://example.com/";
  const saved = await configs.save({ url, settings: { include: ["/a+/"], auth: "me:pass", maxUrls: 9 } });
  assert.deepEqual([saved.settings.include, saved.settings.maxUrls], [["/a+/"], 9]);
  const none = { exclude: [], allowedDomains: [], connectTo: [], thresholds: [], ignoreRules: [] };
  assert.deepEqual(checked, [{ include: ["/a+/"], ...none }]);
  await assert.rejects(configs.save({ url, settings: { include: ["/(/"], maxUrls: 10 } }), {
    code: "BAD_CONFIG",
    message: /include/,
  });
  await assert.rejects(configs.save({ url, settings: { thresholds: ["nonsense=1"] } }), { message: /thresholds/ });
  await assert.rejects(configs.save({ url, settings: { maxUrls: -1 } }), { code: "BAD_CONFIG", message: /maxUrls/ });
  assert.equal(configs.get(url).settings.maxUrls, 9);
});

test("configs: whoever may not reach this network learns no robots.txt of it, wherever a name leads a moment later", async (t) => {
  const inside = await serveHttp(t, (_request, response) => response.end("User-agent: *\nDisallow: /secret\n"));
  const { port } = new URL(inside.origin);
  const asked = new Map<string, number>();
  const lookup: Lookup = async (host) => {
    asked.set(host, (asked.get(host) ?? 0) + 1);
    const isFirst = host === "rebound.example" && asked.get(host) === 1;
    return [{ address: isFirst ? "93.184.216.34" : "127.0.0.1", family: 4 }];
  };
  const db = () => temporaryCrawls(t).registry.db;
  const configs = new Configs({ db, clock: systemClock, reading: new Reading(COMMAND_READING), lookup });
  const url = `http://rebound.example:${port}/secret`;
  const ask = (urls: string[]) => configs.testRobots({ urls, agent: "trawl", text: null }, REMOTE);
  assert.deepEqual(
    (await ask([url])).map(({ unreachable }) => unreachable),
    [true],
  );
  // More names than are looked up beforehand.
  const many = Array.from({ length: 101 }, (_, index) => `http://inside-${index}.example:${port}/`);
  assert.ok((await ask(many)).every(({ unreachable }) => unreachable));
  asked.clear();
  const rules = { start: url, urls: [url], askRobots: true };
  await configs.testRules(rules, REMOTE);
  assert.equal(inside.requests, 0);
  assert.deepEqual(
    (await configs.testRules(rules)).map(({ reason }) => reason),
    ["robots_disallow"],
  );
});
