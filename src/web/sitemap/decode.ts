/** Turns the octets of a sitemap into text, piece by piece: gzip by its magic number, encoding by its first octets. */
import { pipeline, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { TextDecoder } from "node:util";
import { createGunzip } from "node:zlib";
import type { SitemapCollector } from "./collector.ts";

export type SitemapInput = AsyncIterable<Uint8Array> | Uint8Array;

/** Small enough to let other work run between two pieces, even if the whole file is in memory. */
const PIECE_BYTES = 64 * 1024;

async function* piecesOf(input: SitemapInput): AsyncGenerator<Uint8Array> {
  if (!(input instanceof Uint8Array)) {
    for await (const chunk of input) yield* slices(chunk);
    return;
  }
  yield* slices(input);
}

async function* slices(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    if (start > 0) await setImmediate();
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

/** Joins the first pieces until there are `wanted` octets, or no more. */
async function* withHead(pieces: AsyncIterable<Uint8Array>, wanted: number): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = new Uint8Array(0);
  try {
    for await (const piece of pieces) {
      if (head === null) {
        yield piece;
        continue;
      }
      head = Buffer.concat([head, piece]);
      if (head.length < wanted) continue;
      yield head;
      head = null;
    }
  } catch (error) {
    // A transfer that breaks off early has still delivered something.
    if (head !== null) yield head;
    throw error;
  }
  if (head !== null) yield head;
}

async function* plainBytes(input: SitemapInput): AsyncGenerator<Uint8Array> {
  const pieces = withHead(piecesOf(input), 2);
  const first = await pieces.next();
  if (first.done) return;
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value as Uint8Array;
    yield* pieces;
  }
  try {
    if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
      yield* all();
      return;
    }
    const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
    // Errors surface in the loop below; the callback only keeps them from being thrown a second time.
    pipeline(Readable.from(all()), gunzip, () => {});
    for await (const chunk of gunzip) yield chunk as Uint8Array;
  } finally {
    // Reading may stop before `all` is consumed. Without this call, the transfer would stay open.
    await pieces.return(undefined);
  }
}

/** The encoding that a byte order mark or the XML declaration names; UTF-8 when neither does. */
function createDecoder(head: Uint8Array): TextDecoder {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder("utf-16le");
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder("utf-16be");
  const declaration = Buffer.from(head.subarray(0, 200)).toString("latin1");
  const label = /^\s*<\?xml[^>]{0,150}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(declaration)?.[1];
  try {
    // An 8-bit text that claims to be UTF-16 is a common mistake. Real UTF-16 could not have been read this far.
    return new TextDecoder(label === undefined || /^utf-?16/i.test(label) ? "utf-8" : label);
  } catch {
    return new TextDecoder("utf-8");
  }
}

/**
 * Yields the sitemap's text. Stops at `maxBytes` octets after decompression, so a gzip bomb costs no more than a
 * large sitemap. A transfer that breaks off is reported as a problem, and what came before it counts.
 */
export async function* decodeSitemap(
  input: SitemapInput,
  maxBytes: number,
  collector: SitemapCollector,
): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  let left = maxBytes;
  try {
    for await (const piece of withHead(plainBytes(input), 200)) {
      decoder ??= createDecoder(piece);
      yield decoder.decode(piece.subarray(0, left), { stream: true });
      left -= piece.length;
      if (left < 0) {
        collector.truncated = true;
        collector.addProblem(`longer than ${maxBytes} bytes: the rest was not read`);
        return;
      }
    }
  } catch (error) {
    collector.truncated = true;
    collector.addProblem(`reading broke off: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (decoder !== null && !collector.truncated) yield decoder.decode();
}
