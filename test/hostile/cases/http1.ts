/** HTTP/1.1 answers that are broken, endless or slow, byte by byte. Archives and AT Protocol crawls get the same ones. */
import { bytes, type Case, drip, endless, head, page, reset, silent } from "../case.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = head("transfer-encoding: chunked\r\n");
const good = (text: string): string => `<title>${text}</title>`;
/** An answer that is not HTTP. */
const bad = (name: string, ...answer: string[]): Case => ({
  threat: 12,
  name,
  serve: bytes(...answer),
  site: { "/": { status: null, error: "bad_response" } },
  archive: [0, "bad_response"],
  atproto: "connection_error",
});
/** One that ends too early. */
const cut = (name: string, ...answer: string[]): Case => ({
  ...bad(name, ...answer),
  threat: 6,
  site: { "/": { status: null, error: "reset" } },
  archive: [0, "reset"],
});
/** Odd, and still an answer. */
const odd = (name: string, ...answer: string[]): Case => ({
  threat: 12,
  name,
  serve: bytes(...answer),
  site: { "/": { status: 200, error: null, title: "odd" } },
  archive: [200, null],
  atproto: "invalid_car",
});

export const BROKEN_HTTP: readonly Case[] = [
  bad("mail-server", "220 mail.example ESMTP\r\n"),
  bad("ssh-server", "SSH-2.0-OpenSSH_9.6\r\n"),
  bad("no-version", "200 OK\r\n\r\n"),
  bad("wrong-version", "HTTP/9.9 200 OK\r\n\r\n"),
  bad("status-in-words", "HTTP/1.1 abc OK\r\n\r\n"),
  {
    ...bad("status-000", "HTTP/1.1 000 Nothing\r\ncontent-length: 0\r\n\r\n"),
    site: { "/": { status: null, error: "bad_response", errorDetail: null } },
  },
  bad("status-99", "HTTP/1.1 99 Low\r\ncontent-length: 0\r\n\r\n"),
  bad("status-1000", "HTTP/1.1 1000 High\r\ncontent-length: 0\r\n\r\n"),
  bad("negative-length", `${OK}content-length: -5\r\n\r\n`),
  bad("length-in-words", `${OK}content-length: five\r\n\r\nfive!`),
  bad("length-overflow", `${OK}content-length: 99999999999999999999\r\n\r\n`),
  bad("two-lengths", `${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nok`),
  bad("length-and-chunks", `${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
  bad("header-without-colon", `${OK}content-length: 2\r\nno colon\r\n\r\nok`),
  bad("header-with-nul", `${OK}x: a\0b\r\ncontent-length: 2\r\n\r\nok`),
  bad("header-name-with-space", `${OK}x y: 1\r\ncontent-length: 2\r\n\r\nok`),
  bad("folded-header", `${OK}x: a\r\n b\r\ncontent-length: 2\r\n\r\nok`),
  bad("bare-line-feeds", "HTTP/1.1 200 OK\ncontent-length: 2\n\nok"),
  bad("chunk-size-in-words", `${CHUNKED}zz\r\nhello\r\n0\r\n\r\n`),
  bad("chunk-size-negative", `${CHUNKED}-5\r\nhello\r\n0\r\n\r\n`),
  bad("chunk-size-overflow", `${CHUNKED}ffffffffffffffffff\r\nhello\r\n`),
  bad("chunk-longer-than-said", `${CHUNKED}2\r\nhello\r\n0\r\n\r\n`),
  bad("html-without-head", "<!doctype html><title>no head</title>"),
  bad("tls-instead-of-http", "\x16\x03\x01\x00\x05hello"),
  bad("http2-preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  cut("nothing", ""),
  cut("half-status-line", "HTTP/1.1 20"),
  cut("half-headers", `${OK}content-type: te`),
  cut("short-body", head("content-length: 1000\r\n"), "<p>twenty bytes</p>\n"),
  cut("cut-in-chunk", `${CHUNKED}5\r\nhe`),
  cut("no-last-chunk", `${CHUNKED}5\r\nhello\r\n`),
  cut("switching-protocols", "HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n"),
  cut("only-hints", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
  { ...cut("reset"), serve: reset },
  {
    ...cut("reset-midway"),
    serve: (exchange) => {
      exchange.socket.write(`${head("content-length: 1000\r\n")}<p>half`, () => reset(exchange));
    },
  },
  odd("no-length", `HTTP/1.0 200 OK\r\ncontent-type: text/html\r\n\r\n${good("odd")}`),
  odd("no-reason-phrase", `HTTP/1.1 200\r\ncontent-type: text/html\r\ncontent-length: 18\r\n\r\n${good("odd")}`),
  odd("latin1-reason", `HTTP/1.1 200 \xd6K\r\ncontent-type: text/html\r\ncontent-length: 18\r\n\r\n${good("odd")}`),
  odd(
    "hints-first",
    "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
    `${head("content-length: 18\r\n")}${good("odd")}`,
  ),
  odd("continue-first", "HTTP/1.1 100 Continue\r\n\r\n", `${head("content-length: 18\r\n")}${good("odd")}`),
  odd("two-answers", `${head("content-length: 18\r\n")}${good("odd")}${head("content-length: 18\r\n")}${good("two")}`),
  odd("empty-chunk-extension", `${CHUNKED}12;a=b\r\n${good("odd")}\r\n0\r\n\r\n`),
  odd("trailer", `${CHUNKED}12\r\n${good("odd")}\r\n0\r\nx-trailer: 1\r\n\r\n`),
  odd(
    "wrong-date",
    `${head("date: yesterday\r\nlast-modified: never\r\netag: W/\r\ncontent-length: 18\r\n")}${good("odd")}`,
  ),
  {
    threat: 7,
    name: "unavailable",
    serve: page("<p>not now</p>", {}, 503),
    site: { "/": { status: 503, error: null } },
  },
  {
    threat: 12,
    name: "header-of-100-kb",
    serve: page(good("odd"), { "x-long": "y".repeat(100_000) }),
    site: { "/": { status: 200, error: null } },
  },
  {
    threat: 6,
    name: "no-content-with-body",
    serve: bytes("HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello"),
    site: { "/": { status: 204, error: null, size: 0 } },
  },
];

/** Floods: bytes without end in every place that HTTP has. */
const flood = (name: string, error: string, begin: string, repeated: string): Case => ({
  threat: 12,
  name,
  serve: endless(begin, repeated),
  site: { "/": { status: null, error } },
  archive: [0, error],
  atproto: "connection_error",
});

export const FLOODS: readonly Case[] = [
  flood("header-flood", "too_many_headers", OK, `x-flood: ${"y".repeat(1_000)}\r\n`),
  flood("one-endless-header", "too_many_headers", `${OK}x: `, "y".repeat(10_000)),
  flood("endless-status-line", "too_much_overhead", "HTTP/1.1 200 ", "O".repeat(10_000)),
  flood("hints-flood", "too_much_overhead", "", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(100)),
  flood("continue-flood", "reset", "", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100)),
  flood("chunk-extension-flood", "too_much_overhead", `${CHUNKED}5;`, "x".repeat(10_000)),
  flood("chunk-extensions", "too_much_overhead", CHUNKED, `1;${"x".repeat(10_000)}\r\ny\r\n`),
  flood("trailer-flood", "too_many_headers", `${CHUNKED}0\r\n`, `x: ${"y".repeat(1_000)}\r\n`),
  flood("blank-line-flood", "too_much_overhead", "", "\r\n".repeat(5_000)),
  flood("zeros-of-a-chunk-size", "too_much_overhead", CHUNKED, "0".repeat(10_000)),
  flood("endless-header-name", "too_many_headers", OK, "x".repeat(10_000)),
  {
    threat: 12,
    name: "five-thousand-headers",
    serve: bytes(`${OK}${"a:\r\n".repeat(5_000)}\r\n`),
    site: { "/": { status: null, error: "too_many_headers" } },
    archive: [0, "too_many_headers"],
  },
];

/** Without an end until a time limit comes. */
const slow = (name: string, serve: Case["serve"]): Case => ({
  threat: 7,
  name,
  serve,
  site: { "/": { status: null, error: "total_timeout" } },
});

export const SLOW: readonly Case[] = [
  slow("silent", silent),
  slow("slow-status-line", drip("HTTP/1.1 200 ", "O")),
  slow("slow-headers", drip(`${OK}x: `, "y")),
  slow("slow-body", drip(CHUNKED, "1\r\n.\r\n")),
  slow("slow-last-byte", drip(head("content-length: 100000\r\n"), ".")),
  slow("slow-chunk-size", drip(CHUNKED, "0")),
  slow("stops-midway", ({ socket }) => void socket.write(`${head("content-length: 1000\r\n")}half`)),
  slow("slow-hints", drip("", "HTTP/1.1 103 Early Hints\r\n\r\n")),
];
