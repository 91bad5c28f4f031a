/** robots.txt that is endless, slow, broken, or not a robots.txt. */
import {
  answer,
  bytes,
  type Case,
  endless,
  head,
  links,
  page,
  redirect,
  reset,
  type Serve,
  silent,
  table,
} from "../case.ts";

const SITE = table({ "/": links("/private"), "/private": "<title>private</title>" });
const READ = { status: 200, error: null };
const text = (body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): Serve =>
  page(body, { "content-type": "text/plain", ...headers }, status);

/** As if there were none, or none that says anything. */
const open = (name: string, robots: Serve): Case => ({
  threat: 13,
  name,
  serve: SITE,
  robots,
  site: { "/": READ, "/private": READ },
});
/** Its rule holds. */
const obeyed = (name: string, robots: Serve): Case => ({
  ...open(name, robots),
  site: { "/": READ, "/private": { status: null, reason: "robots_disallow" } },
  never: ["/private"],
});
/** Nothing may be fetched. */
const closed = (name: string, robots: Serve): Case => ({
  ...open(name, robots),
  site: { "/": { status: null, reason: "robots_unreachable" } },
  never: ["/", "/private"],
});
const RULE = "User-agent: *\nDisallow: /private\n";

export const ROBOTS: readonly Case[] = [
  open("robots-is-html", page("<!doctype html><title>Welcome</title><p>Disallow: nothing")),
  open("robots-is-binary", text(Buffer.alloc(100_000, 0xff))),
  open("robots-gone", page("", {}, 410)),
  open("robots-forbidden", page("", {}, 403)),
  open(
    "robots-redirects-forever",
    redirect(({ attempt }) => `/robots.txt?${attempt}`),
  ),
  open("robots-redirects-to-file", redirect("file:///etc/passwd")),
  open("robots-redirects-to-private", redirect("http://10.0.0.1/robots.txt")),
  obeyed("robots-then-endless", endless(`${head("")}${RULE}`, "# nothing more\n")),
  obeyed("robots-endless-line-after", endless(`${head("")}${RULE}Disallow: /`, "x".repeat(10_000))),
  obeyed("robots-of-many-groups", text(`${RULE}${"User-agent: other\nDisallow: /\n".repeat(10_000)}`)),
  {
    // Of more rules with a star than any honest file has, the rest is read strictly: up to the star.
    ...closed("robots-of-many-rules", text(`${RULE}${"Disallow: /*a*b*c*d*e*$\n".repeat(15_000)}`)),
    site: { "/": { status: null, reason: "robots_disallow" } },
  },
  obeyed("robots-with-bom", text(`\ufeff${RULE}`)),
  obeyed("robots-with-carriage-returns", text(RULE.replaceAll("\n", "\r"))),
  obeyed("robots-with-nul", text(`\0\0\n${RULE}`)),
  obeyed("robots-misspelt", text("useragent: *\ndissallow: /private\n")),
  obeyed("robots-of-wrong-type", text(RULE, { "content-type": "image/png" })),
  obeyed("robots-many-stars", text(`User-agent: *\nDisallow: /${"*p".repeat(2_000)}\nDisallow: /private\n`)),
  closed("robots-broken-server", page("", {}, 500)),
  closed("robots-unavailable", page("", {}, 503)),
  closed("robots-resets", reset),
  closed("robots-is-not-http", bytes("220 mail.example ESMTP\r\n")),
  closed("robots-bad-gzip", (exchange) => answer(exchange, RULE, { headers: { "content-encoding": "gzip" } })),
];

export const SLOW_ROBOTS: readonly Case[] = [closed("robots-silent", silent)];
