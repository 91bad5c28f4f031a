/** Decodes `Content-Encoding` as browsers do: gzip, deflate, br and zstd, at most two of them stacked. */
import { type Decoded, decompress, type Format, type Room } from "./decompress.ts";
import { FetchError } from "./fetch-errors.ts";

type Coding = "gzip" | "deflate" | "br" | "zstd";

/** The codings we accept. */
export const ACCEPT_ENCODING = "gzip, br, zstd, deflate";

/** Each coding multiplies the effect of a bomb (CVE-2022-32206 in curl); no real server needs more than two. */
const MAX_CODINGS = 2;

const ALIASES = new Map<string, Coding>([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "br"],
  ["zstd", "zstd"],
]);

/**
 * The codings in the order to decode them. Names that are not codings (`identity`, `none`, `utf-8`) are ignored, as in
 * browsers.
 */
export function contentCodings(header: string | null): Coding[] {
  if (header === null) return [];
  const codings = header
    .split(",", 64)
    .map((name) => ALIASES.get(name.trim().toLowerCase()))
    .filter((coding) => coding !== undefined);
  if (codings.length > MAX_CODINGS) throw new FetchError("bad_encoding", `${codings.length} stacked encodings`);
  return codings.reverse();
}

/** `partial` means that we stopped reading ourselves: whatever can be decoded is then the answer. */
export function decodeBody(
  bytes: Buffer,
  codings: readonly Coding[],
  room: Room,
  partial: boolean,
): Decoded | Promise<Decoded> {
  const [coding, ...rest] = codings;
  // Redirects and errors often name an encoding and send no body.
  if (coding === undefined || bytes.length === 0) return { body: bytes, truncated: null };
  const decoded = decompress(bytes, formatOf(coding, bytes), room, partial);
  if (rest.length === 0) return decoded;
  if (decoded instanceof Promise) return decoded.then((outer) => decodeRest(outer, rest, room, partial));
  return decodeRest(decoded, rest, room, partial);
}

async function decodeRest(outer: Decoded, rest: readonly Coding[], room: Room, partial: boolean): Promise<Decoded> {
  const inner = await decodeBody(outer.body, rest, room, partial || outer.truncated !== null);
  return { body: inner.body, truncated: inner.truncated ?? outer.truncated };
}

function formatOf(coding: Coding, bytes: Buffer): Format {
  if (coding !== "deflate") return coding;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return "gzip";
  // RFC 1950 section 2.2. Many servers send deflate without the zlib wrapper that RFC 9110 section 8.4.1.2 requires.
  return (bytes[0]! & 0x0f) === 8 && bytes.length > 1 && bytes.readUInt16BE(0) % 31 === 0 ? "zlib" : "raw";
}
