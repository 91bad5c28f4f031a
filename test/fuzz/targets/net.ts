/** What headers, cookies, encodings and addresses are read with. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { TrawlError } from "../../../src/errors.ts";
import { addressKind } from "../../../src/net/connection/egress.ts";
import { parseConnectTo, parseProxy } from "../../../src/net/connection/route.ts";
import { contentCodings, decodeBody } from "../../../src/net/content-coding.ts";
import { CookieJar } from "../../../src/net/cookie-jar.ts";
import { FetchError } from "../../../src/net/fetch-errors.ts";
import {
  headerPairs,
  parseHttpDate,
  parseRateLimitReset,
  parseRetryAfter,
  serverDelay,
} from "../../../src/net/headers.ts";
import type { Target } from "../target.ts";

const NOW = Date.UTC(2026, 0, 1);
const text = (input: Buffer): string => input.toString("utf8");
const refusesFetch = (error: unknown): boolean => error instanceof FetchError;

const body = (coding: string, seeds: Uint8Array[]): Target => ({
  name: coding,
  seeds,
  // 64 KB is all that it may give.
  growth: 0,
  refuses: refusesFetch,
  run: async (input) => decodeBody(input, contentCodings(coding), { cap: 65_536, mayGrow: null }, false),
});
const PLAIN = Buffer.from("<p>hello</p>".repeat(50));

export const NET: readonly Target[] = [
  body("gzip", [gzipSync(PLAIN), gzipSync("")]),
  body("deflate", [deflateSync(PLAIN), gzipSync(PLAIN)]),
  body("br", [brotliCompressSync(PLAIN)]),
  body("zstd", [zstdCompressSync(PLAIN), Buffer.concat([zstdCompressSync("a"), zstdCompressSync("b")])]),
  {
    name: "content-coding",
    seeds: ["gzip, br", "x-gzip", "identity, deflate"],
    words: ["gzip", ",", "br", " ", "zstd"],
    refuses: refusesFetch,
    run: (input) => contentCodings(text(input)),
  },
  {
    name: "headers",
    seeds: [
      "120",
      "Wed, 21 Oct 2026 07:28:00 GMT",
      "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
      "1700000000",
    ],
    words: ["GMT", ",", ":", "-", "Feb", "9999", "99999999999999"],
    run: (input) => {
      const value = text(input);
      const pairs = headerPairs({ "retry-after": value, "x-ratelimit-reset": [value, value], a: value }, 1 << 20);
      return [
        parseHttpDate(value, NOW),
        parseRetryAfter(value, NOW),
        parseRateLimitReset(value, NOW),
        serverDelay(pairs, NOW),
      ];
    },
  },
  {
    name: "cookies",
    seeds: [
      "a=1; Path=/; Domain=example.com; Max-Age=60; Secure; HttpOnly; SameSite=Lax",
      "b=2; expires=Wed, 21 Oct 2026 07:28:00 GMT",
    ],
    words: [";", "=", "Domain=.com", "Path=", "Max-Age=-1", "__Host-", "expires=", "\t"],
    run: (input) => {
      const jar = new CookieJar(() => true);
      const url = new URL("https://shop.example.com/a/b");
      jar.store(url, text(input).split("\n").slice(0, 100));
      return [jar.header(url), jar.header(new URL("https://other.test/"))];
    },
  },
  {
    name: "address",
    seeds: ["127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::1", "fe80::1%eth0"],
    words: [":", ".", "::", "ffff"],
    run: (input) => addressKind(text(input)),
  },
  {
    name: "route",
    seeds: [
      "http://user:p%40ss@127.0.0.1:3128",
      "socks5://[::1]:1080",
      "example.com:443:127.0.0.1:8443",
      "::1:80:[::1]:81",
    ],
    words: [":", "@", "[", "]", "socks5h://", "//"],
    refuses: (error) => error instanceof TrawlError || error instanceof FetchError,
    run: (input) => {
      const value = text(input);
      return value.includes("//") ? parseProxy(value) : parseConnectTo(value);
    },
  },
];
