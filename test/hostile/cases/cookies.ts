/** Cookies that want to go further than they may, and some that are not cookies. */
import { answer, type Case, links, type Serve } from "../case.ts";

const setting = (...cookies: string[]): Serve => {
  return (exchange) =>
    answer(exchange, links("http://cookie-reader.hostile.example/after"), {
      headers: { "x-first": ["1", ...cookies.map((cookie) => `1\r\nset-cookie: ${cookie}`)].join("\r\nx-next: ") },
    });
};
const harmless = (name: string, ...cookies: string[]): Case => ({
  threat: 22,
  name,
  serve: setting(...cookies),
  site: { "/": { status: 200, error: null } },
});

export const COOKIES: readonly Case[] = [
  harmless("cookie-for-a-suffix", "a=1; Domain=example", "b=1; Domain=.example"),
  harmless("cookie-for-another-host", "a=1; Domain=cookie-reader.hostile.example", "b=1; Domain=other.example"),
  harmless("cookie-of-no-domain", "a=1; Domain=\xe9 \xe9", "b=1; Domain=[", "c=1; Domain=..", "d=1; Domain= "),
  harmless("cookie-flood", ...Array.from({ length: 200 }, (_, index) => `c${index}=${"x".repeat(100)}`)),
  harmless("cookie-of-10-kb", `a=${"x".repeat(10_000)}`),
  harmless("cookie-of-no-date", "a=1; Expires=never; Max-Age=1e999", "b=1; Expires=Thu, 99 Foo 99999 99:99:99"),
  {
    threat: 22,
    name: "cookie-reader",
    serve: (exchange) => answer(exchange, `<title>${exchange.headers["cookie"] ?? "none"}</title>`),
    site: { "/after": { status: 200, title: "none" } },
  },
];
