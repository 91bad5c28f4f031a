/** Bodies that are too large, on the wire or once they are unpacked, or not what they claim to be. */
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { type Case, endless, head, page, type Serve } from "../case.ts";

const ZEROS = Buffer.alloc(1 << 20);
const TITLE = "<title>whole</title>";
/** Text that does not compress to nothing, so that half of its gzip form is still something. */
const TEXT = Array.from({ length: 5_000 }, (_, index) => `<p>${Math.imul(index, 2654435761) >>> 0}</p>`).join("\n");

const packed = (coding: string, body: Uint8Array | string): Serve => page(body, { "content-encoding": coding });
/** The same member again and again: 256 MiB of zeros in as many KiB. */
const members = (coding: string, member: Buffer, count = 256): Serve =>
  packed(coding, Buffer.concat(Array.from({ length: count }, () => member)));

const large = (threat: number, name: string, truncated: string, serve: Serve): Case => ({
  threat,
  name,
  serve,
  site: { "/": { status: 200, error: null, truncated } },
  archive: [200, `truncated_${truncated}`],
  atproto: "too_large",
});
const wrong = (name: string, serve: Serve): Case => ({
  threat: 8,
  name,
  serve,
  site: { "/": { status: 200, error: "bad_encoding" } },
  archive: [0, "bad_encoding"],
  atproto: "invalid_car",
});
const fine = (name: string, serve: Serve, facts: Record<string, string | number | null> = {}): Case => ({
  threat: 8,
  name,
  serve,
  site: { "/": { status: 200, error: null, ...facts } },
});

export const BODIES: readonly Case[] = [
  large(6, "endless-body", "length", endless(head(""))),
  large(
    6,
    "endless-chunks",
    "length",
    endless(head("transfer-encoding: chunked\r\n"), `ffff\r\n${"x".repeat(0xffff)}\r\n`),
  ),
  large(6, "announced-terabyte", "length", endless(head("content-length: 1099511627776\r\n"))),
  {
    threat: 6,
    name: "long-page",
    serve: page(`<title>long</title>${"<p>more".repeat(1_000_000)}<a href="/never">x</a>`),
    site: { "/": { status: 200, truncated: "length", title: "long" }, "/never": undefined },
  },
  large(6, "endless-gzip", "length", endless(head("content-encoding: gzip\r\n"), gzipSync(ZEROS))),
  large(8, "gzip-bomb", "decoded", members("gzip", gzipSync(ZEROS))),
  large(8, "deflate-bomb", "decoded", packed("deflate", deflateSync(Buffer.alloc(64 << 20)))),
  large(
    8,
    "brotli-bomb",
    "decoded",
    packed("br", brotliCompressSync(Buffer.alloc(64 << 20), { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })),
  ),
  large(8, "zstd-bomb", "decoded", members("zstd", zstdCompressSync(ZEROS))),
  large(8, "gzip-in-gzip-bomb", "decoded", packed("gzip, gzip", gzipSync(gzipSync(Buffer.alloc(64 << 20))))),
  wrong("three-codings", packed("gzip, gzip, gzip", gzipSync(gzipSync(gzipSync(TITLE))))),
  wrong("hundred-codings", packed(Array.from({ length: 100 }, () => "gzip").join(", "), "x")),
  wrong("bad-gzip", packed("gzip", "<p>plain text</p>")),
  wrong("bad-brotli", packed("br", "<p>plain text</p>")),
  wrong("bad-zstd", packed("zstd", "<p>plain text</p>")),
  wrong("bad-deflate", packed("deflate", "\xff\xff\xff")),
  wrong("zstd-window", packed("zstd", Buffer.from("28b52ffd00b8000000", "hex"))),
  fine("cut-gzip", packed("gzip", gzipSync(TEXT).subarray(0, 5_000)), { truncated: "encoding" }),
  fine("gzip-and-garbage", packed("gzip", Buffer.concat([gzipSync(TITLE), Buffer.from("garbage")])), {
    title: "whole",
  }),
  fine("gzip-as-deflate", packed("deflate", gzipSync(TITLE)), { title: "whole" }),
  fine("raw-deflate", packed("deflate", deflateRawSync(TITLE)), { title: "whole" }),
  fine("coding-that-is-none", packed("utf-8", TITLE), { title: "whole" }),
  fine("many-gzip-members", members("gzip", gzipSync("<p>"), 50_000)),
];
