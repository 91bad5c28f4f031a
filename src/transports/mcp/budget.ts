/** How long an answer may be, in tokens as they are estimated here: a token is four bytes of UTF-8. */
import { z } from "zod";

/**
 * Four characters a token is the usual estimate for English. Bytes are the same there, and come nearer elsewhere: a
 * Chinese character is three bytes and about one token.
 */
export const BYTES_PER_TOKEN = 4;

/** The shortest budget that holds counts, a warning and some rows. */
const MIN_TOKENS = 300;
/** About a hundred URLs with status and title. An agent that needs more says so. */
export const DEFAULT_TOKENS = 4_000;
/** Clients refuse longer answers: Claude Code's limit is 25,000. */
export const MAX_TOKENS = 25_000;

export const maxTokens = z
  .int()
  .min(MIN_TOKENS)
  .max(MAX_TOKENS)
  .default(DEFAULT_TOKENS)
  .meta({ description: "Length of the answer at most (a token = 4 bytes); `cursor` gives the rest." });

export const bytesOf = (text: string): number => Buffer.byteLength(text);
export const tokensOf = (text: string): number => Math.ceil(bytesOf(text) / BYTES_PER_TOKEN);

/** The longest beginning of `text` that fits into so many bytes; no character is cut in two. */
export function startWithin(text: string, bytes: number): string {
  if (bytes <= 0) return "";
  if (bytesOf(text) <= bytes) return text;
  // Fatal off and stream on: an unfinished character at the end is left out, not replaced.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
