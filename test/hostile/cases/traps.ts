/** Sites that have no end: loops, calendars, facets, sessions, mazes. */
import { createHash } from "node:crypto";
import { answer, type Case, links, page, type Serve } from "../case.ts";

const endlessly = (next: (path: string, attempt: number) => string[]): Serve => {
  return (exchange) => answer(exchange, links(...next(exchange.path, exchange.attempt)));
};

export const TRAPS: readonly Case[] = [
  {
    threat: 5,
    name: "same-everywhere",
    serve: page(`<title>Not found</title><p>We could not find what you are looking for.${links("/a", "/b")}`),
    requests: 5,
    site: { "/a": { status: 200, duplicate: true }, "/b": { status: 200, duplicate: true } },
  },
  {
    threat: 24,
    name: "challenge",
    serve: page("<title>Just a moment...</title>", { server: "cloudflare", "cf-mitigated": "challenge" }, 403),
    requests: 2,
    site: { "/": { status: 403, outcome: "broken", error: "challenge", title: null } },
  },
  {
    threat: 24,
    name: "challenge-as-page",
    serve: page("<title>Wait</title><a href=/more>more</a><script>sucuri_cloudproxy_js=''</script>"),
    requests: 2,
    site: { "/": { status: 200, outcome: "broken", error: "challenge", title: null, outlinks: null } },
  },
  {
    threat: 1,
    name: "path-loop",
    serve: endlessly(() => ["a/", "b/"]),
    requests: 80,
    site: { "/a/a/a/": { status: 200 }, "/a/a/a/a/": { verdict: "skip", reason: "path_loop" } },
  },
  {
    threat: 1,
    name: "alternating-loop",
    serve: endlessly(() => ["foo/bar/"]),
    requests: 12,
  },
  {
    threat: 1,
    name: "growing-query",
    serve: endlessly((path) => [`${path}${path.includes("?") ? "&" : "?"}a=1`]),
    requests: 40,
  },
  {
    threat: 1,
    name: "long-url",
    serve: page(links(`/${"x".repeat(3_000)}`, `/${"y".repeat(300_000)}`)),
    requests: 2,
    site: { [`/${"x".repeat(3_000)}`]: { verdict: "skip", reason: "url_too_long" } },
  },
];

/** Ended by budgets. These settings are small, so that the tests are. */
export const BUDGETS = { maxUrlsPerPattern: 30, maxQueryVariants: 30 };

const WORDS = ["oak", "elm", "ash", "fir", "yew"];
const MORE_WORDS = ["wood", "bark", "leaf", "root", "seed", "bud", "twig", "grove"];
/** Sentences that differ from page to page, as a maze of generated text has them. */
const babble = (path: string): string => `<p>${[...path].map((letter) => WORDS[letter.charCodeAt(0) % 5]).join(" ")}`;

export const BUDGETED: readonly Case[] = [
  {
    threat: 2,
    name: "calendar",
    serve: ({ path, ...exchange }) => {
      const day = Number(path.slice(5)) || 1;
      answer({ path, ...exchange }, links(`/day/${day + 1}`, `/day/${day + 2}`));
    },
    requests: 40,
    site: { "/day/3": { status: 200 }, "/day/33": { verdict: "skip", reason: "max_urls_per_pattern" } },
  },
  {
    threat: 2,
    name: "facets",
    serve: endlessly((path) => {
      const query = path.split("?")[1] ?? "";
      return ["color=red", "color=blue", "size=1", "size=2", "sort=up"].map((facet) => `/shop?${query}&${facet}`);
    }),
    requests: 60,
  },
  {
    threat: 3,
    name: "tracking-parameters",
    serve: page(links("/page?utm_source=a", "/page?utm_source=b&gclid=1", "/page?fbclid=2", "/page")),
    requests: 4,
    site: { "/page": { status: 200 }, "/page?utm_source=a": undefined },
  },
  {
    threat: 4,
    name: "tarpit-behind-robots",
    robots: page("User-agent: *\nDisallow: /maze/\n", { "content-type": "text/plain" }),
    serve: (exchange) => answer(exchange, links(...WORDS.map((word) => `/maze/${word}/`)) + babble(exchange.path)),
    requests: 2,
    site: { "/": { status: 200 }, "/maze/oak/": { verdict: "skip", reason: "robots_disallow" } },
  },
];

/** Numbers that look like those of a session. */
const session = (attempt: number, path: string): string =>
  createHash("md5").update(`${path} ${attempt}`).digest("hex").toUpperCase();

/**
 * Without an end, and ended by default settings, because their pages bring nothing new. Mazes with a new text on every page take
 * thousands of pages: test/site/traps.test.ts has them.
 */
export const ENDLESS: readonly Case[] = [
  {
    threat: 4,
    name: "imports-forever",
    serve: (exchange) => {
      const next = Number(/^\/(\d+)\.css$/.exec(exchange.path)?.[1] ?? -1) + 1;
      if (next === 0) answer(exchange, '<link rel="stylesheet" href="/0.css">');
      else answer(exchange, `@import "/${next}.css";`, { headers: { "content-type": "text/css" } });
    },
    site: { "/5.css": { status: 200 }, "/6.css": { status: null, reason: "too_many_redirects" } },
    requests: 8,
  },
  {
    threat: 2,
    name: "endless-calendar",
    serve: ({ path, ...exchange }) => {
      const month = Number(/\d+$/.exec(path)?.[0] ?? 24_000);
      const [next, last] = [month + 1, month - 1].map((one) => `/events/month/${one}`);
      answer({ path, ...exchange }, `<p>No events.${links(next!, last!)}`);
    },
    requests: 1_000,
  },
  {
    threat: 3,
    name: "session-in-path",
    serve: ({ path, attempt, ...exchange }) => {
      const id = session(attempt, path);
      answer(
        { path, attempt, ...exchange },
        links(...["/", "/a", "/b", "/c"].map((page) => `${page};jsessionid=${id}`)),
      );
    },
    requests: 100,
  },
  {
    threat: 3,
    name: "session-in-query",
    serve: ({ path, attempt, ...exchange }) => {
      const id = session(attempt, path);
      answer({ path, attempt, ...exchange }, links(...["/", "/a", "/b", "/c"].map((page) => `${page}?sid=${id}`)));
    },
    requests: 100,
  },
  {
    threat: 4,
    name: "word-maze",
    serve: ({ path, ...exchange }) => {
      const folder = path.startsWith("/maze/") ? path : "/maze/";
      const names = Array.from({ length: 8 }, (_, index) => {
        const [one, other] = createHash("md5").update(`${path} ${index}`).digest();
        return `${WORDS[one! % 5]}-${MORE_WORDS[other! % 8]}`;
      });
      const more = names.map((name) => `<a href="${folder}${name}/">Read more</a>`);
      answer({ path, ...exchange }, `<title>Maze</title>${more.join("")}`);
    },
    requests: 1_000,
  },
];
