/** Redirects that lead nowhere, in circles, or where nothing may go. */
import { answer, type Case, page, redirect } from "../case.ts";

/** Leads to something that is not a page on the web: it is an answer, and nothing follows. */
const nowhere = (name: string, location: string): Case => ({
  threat: 9,
  name,
  serve: redirect(location),
  site: { "/": { status: 302, error: null } },
  requests: 2,
  archive: [302, null],
  atproto: "redirected",
});

export const REDIRECTS: readonly Case[] = [
  { ...nowhere("redirect-to-itself", "/"), requests: 2 },
  nowhere("redirect-to-file", "file:///etc/passwd"),
  nowhere("redirect-to-script", "javascript:alert(1)"),
  nowhere("redirect-to-data", "data:text/html,<title>x</title>"),
  nowhere("redirect-to-gopher", "gopher://127.0.0.1:70/"),
  nowhere("redirect-to-ftp", "ftp://127.0.0.1/"),
  nowhere("redirect-to-nothing", ""),
  nowhere("redirect-to-garbage", "http://[::1"),
  nowhere("redirect-to-port-0", "http://redirect-to-port-0.hostile.example:0/"),
  nowhere("redirect-of-10-kb", `/${"x".repeat(10_000)}`),
  {
    threat: 9,
    name: "redirect-without-location",
    serve: page("", {}, 302),
    site: { "/": { status: 302, error: null } },
  },
  {
    threat: 9,
    name: "redirect-forever",
    serve: ({ path, ...exchange }) =>
      answer({ path, ...exchange }, "", { status: 302, headers: { location: `/${Number(path.slice(1)) + 1}` } }),
    site: {
      "/": { status: 302 },
      "/3": { status: 302 },
      "/4": { status: null, verdict: "skip", reason: "too_many_redirects", rule: "maxRedirects 3" },
      "/5": undefined,
    },
    // robots.txt, the page, and three hops.
    requests: 5,
    never: ["/4"],
  },
  {
    threat: 9,
    name: "redirect-in-circles",
    serve: redirect(({ path }) => (path === "/" ? "/b" : path === "/b" ? "/c" : "/")),
    site: { "/": { status: 302 }, "/b": { status: 302 }, "/c": { status: 302 } },
    requests: 4,
  },
  {
    threat: 15,
    name: "redirect-to-private",
    serve: redirect("http://10.0.0.1/latest/meta-data/"),
    site: { "/": { status: 302, error: null } },
    requests: 2,
  },
];
