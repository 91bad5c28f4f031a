/** HTTP/2 frames as no proper server would send them (RFC 9113). */
import type { Socket } from "node:net";
import { type Case, pour, type Serve } from "../case.ts";

const [DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION] = [
  0, 1, 3, 4, 5, 6, 7, 8, 9,
];
const [END_STREAM, END_HEADERS] = [1, 4];
const PREFACE_BYTES = 24;
const HEADER_BYTES = 9;

function frame(type: number, flags: number, stream: number, payload: Uint8Array | string = ""): Buffer {
  const body = Buffer.from(payload as string, "latin1");
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUIntBE(body.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, body]);
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A field as HPACK writes it without any table (RFC 7541 section 6.2.2); names and values of up to 126 bytes. */
const field = (name: string, value: string): string =>
  `\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`;
/** `:status: 200` is number 8 of the static table. */
const OK = "\x88";
const HTML = field("content-type", "text/html");
const headers = (block: string, flags = END_HEADERS): Buffer => frame(HEADERS, flags, 1, block);
const TITLE = "<title>two</title>";

/** What is sent for each request, once it has arrived: before that, its stream does not exist. */
const onRequest =
  (act: (socket: Socket, stream: number) => void): Serve =>
  ({ socket }) => {
    socket.write(frame(SETTINGS, 0, 0));
    let received = Buffer.alloc(0);
    let at = PREFACE_BYTES;
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (at + HEADER_BYTES <= received.length) {
        const [type, stream] = [received[at + 3], received.readUInt32BE(at + 5)];
        // First, because writing can make the socket read.
        at += HEADER_BYTES + received.readUIntBE(at, 3);
        if (type === HEADERS) act(socket, stream);
      }
    });
  };

const sending = (...frames: Uint8Array[]): Serve =>
  onRequest((socket) => {
    for (const one of frames) socket.write(one);
  });

const h2 = (threat: number, name: string, serve: Serve, facts: NonNullable<Case["site"]>[string]): Case => ({
  threat,
  name: `h2-${name}`,
  over: "http2",
  serve,
  site: { "/": facts },
});
const bad = (name: string, ...frames: Uint8Array[]): Case =>
  h2(12, name, sending(...frames), { status: null, error: "bad_response" });
const cut = (name: string, ...frames: Uint8Array[]): Case =>
  h2(6, name, sending(...frames), { status: null, error: "reset" });

export const HTTP2: readonly Case[] = [
  h2(12, "good", sending(headers(OK + HTML), frame(DATA, END_STREAM, 1, TITLE)), { status: 200, title: "two" }),
  h2(6, "no-body", sending(headers(OK + HTML, END_HEADERS | END_STREAM)), { status: 200, error: null, size: 0 }),
  h2(
    12,
    "headers-in-pieces",
    sending(headers(OK, 0), frame(CONTINUATION, END_HEADERS, 1, HTML), frame(DATA, END_STREAM, 1, TITLE)),
    { status: 200, title: "two" },
  ),
  h2(
    6,
    "endless",
    onRequest((socket) => {
      socket.write(headers(OK + HTML));
      pour(socket, frame(DATA, 0, 1, Buffer.alloc(16_384, "<p>more")));
    }),
    { status: 200, error: null, truncated: "length" },
  ),
  h2(
    6,
    "refused-stream",
    onRequest((socket, stream) => void socket.write(frame(RST_STREAM, 0, stream, number(7)))),
    {
      status: null,
      error: "reset",
    },
  ),
  cut("internal-error", frame(RST_STREAM, 0, 1, number(2))),
  cut("reset-midway", headers(OK + HTML), frame(DATA, 0, 1, TITLE), frame(RST_STREAM, 0, 1, number(2))),
  cut("goaway", frame(GOAWAY, 0, 0, Buffer.concat([number(0), number(0)]))),
  cut("calm-down", frame(GOAWAY, 0, 0, Buffer.concat([number(0), number(11), Buffer.from("too_many")]))),
  h2(
    6,
    "closes",
    onRequest((socket) => void socket.end()),
    { status: null, error: "reset" },
  ),
  h2(
    6,
    "closes-midway",
    onRequest((socket) => void socket.end(headers(OK + HTML))),
    { status: null, error: "reset" },
  ),
  bad("http1-answer", Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")),
  bad("garbage", Buffer.alloc(64, 0xff)),
  bad("frame-too-large", frame(DATA, 0, 1, Buffer.alloc(20_000))),
  bad("bad-compression", headers("\xff\xff\xff\xff\xff\xff")),
  bad("data-before-headers", frame(DATA, 0, 1, TITLE)),
  bad("stream-that-was-not-opened", frame(HEADERS, END_HEADERS, 3, OK)),
  bad("push", frame(PUSH_PROMISE, END_HEADERS, 1, Buffer.concat([number(2), Buffer.from("\x82\x84\x87")]))),
  bad("window-overflow", ...Array.from({ length: 2 }, () => frame(WINDOW_UPDATE, 0, 0, number(0x7fffffff)))),
  bad("settings-of-wrong-size", frame(SETTINGS, 0, 0, "12345")),
  bad("ping-of-wrong-size", frame(PING, 0, 0, "1")),
  bad("continuation-without-headers", frame(CONTINUATION, 0, 1, HTML)),
];

/** Frames without end that carry nothing. */
const flood = (name: string, one: Uint8Array, begin: Uint8Array = Buffer.alloc(0)): Case => ({
  ...bad(name),
  threat: 12,
  serve: onRequest((socket) => {
    socket.write(begin);
    pour(socket, Buffer.concat(Array.from({ length: 500 }, () => one)));
  }),
});

const overhead = (...given: Parameters<typeof flood>): Case => ({
  ...flood(...given),
  site: { "/": { status: null, error: "too_much_overhead" } },
});

export const HTTP2_FLOODS: readonly Case[] = [
  flood("ping-flood", frame(PING, 0, 0, "12345678")),
  flood("settings-flood", frame(SETTINGS, 0, 0)),
  flood("empty-data-flood", frame(DATA, 0, 1), headers(OK + HTML)),
  overhead("padding-flood", frame(DATA, 8, 1, Buffer.concat([Buffer.of(255), Buffer.alloc(255)])), headers(OK + HTML)),
  flood("bad-status", headers(field(":status", "000"))),
  flood("continuation-flood", frame(CONTINUATION, 0, 1, field("x", "y".repeat(100))), headers(OK, 0)),
  overhead("window-update-flood", frame(WINDOW_UPDATE, 0, 1, number(1))),
  overhead("hints-flood", headers(field(":status", "103"))),
  flood("unknown-frame-flood", frame(0xee, 0, 0, "x".repeat(100))),
];

/** Ended by the time limit. */
export const SLOW_HTTP2: readonly Case[] = [
  h2(
    7,
    "silent",
    onRequest(() => {}),
    { status: null, error: "total_timeout" },
  ),
  h2(7, "stops-midway", sending(headers(OK + HTML), frame(DATA, 0, 1, TITLE)), {
    status: null,
    error: "total_timeout",
  }),
];
