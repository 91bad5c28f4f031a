/** Handshakes that fail, never end, or are no TLS at all. */
import { type Case, page, type Serve } from "../case.ts";

const failing = (name: string, serve: Serve, error = "tls_failed"): Case => ({
  threat: 12,
  name,
  over: "tcp",
  serve,
  site: { "/": { status: null, error } },
  atproto: "connection_error",
});
/** After the first bytes of the client. */
const onHello =
  (bytes: Uint8Array | string, then: "end" | "stay" = "end"): Serve =>
  ({ socket }) => {
    socket.once("data", () => (then === "end" ? socket.end(bytes) : socket.write(bytes)));
  };
const record = (type: number, length: number, body: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.from([type, 3, 3, length >> 8, length & 255]), Buffer.from(body as string)]);

export const TLS: readonly Case[] = [
  { threat: 12, name: "tls-good", over: "https", serve: page("<title>good</title>"), site: { "/": { title: "good" } } },
  {
    threat: 12,
    name: "unknown-authority",
    over: "https",
    serve: page("<title>never</title>"),
    site: { "/": { status: null, error: "tls_failed", errorDetail: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" } },
    atproto: "connection_error",
  },
  failing("plain-http-on-https", onHello("HTTP/1.1 400 Bad Request\r\n\r\n")),
  failing("tls-garbage", onHello(Buffer.alloc(64, 0xff))),
  failing("tls-alert", onHello(record(21, 2, Buffer.from([2, 40])))),
  failing("tls-record-too-long", onHello(record(22, 65_535, Buffer.alloc(65_535)))),
  failing("tls-empty-records", onHello(Buffer.concat(Array.from({ length: 1_000 }, () => record(22, 0, ""))))),
  failing("tls-half-hello", onHello(record(22, 100, "half")), "reset"),
  failing("tls-closes", ({ socket }) => void socket.once("data", () => socket.end()), "reset"),
  failing("tls-resets", ({ socket }) => void socket.once("data", () => socket.resetAndDestroy()), "reset"),
];

/** Ended by the time limit. */
export const SLOW_TLS: readonly Case[] = [
  failing("tls-silent", () => {}, "total_timeout"),
  failing("tls-half-and-silent", onHello(record(22, 100, "half"), "stay"), "total_timeout"),
];
