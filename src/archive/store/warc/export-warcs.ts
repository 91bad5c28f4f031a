/** `export warc`: the WARCs of a folder as one file. */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TrawlError } from "../../../errors.ts";
import { assertIntact } from "./verify-warcs.ts";
import { namesIn, WARC_SUFFIX } from "./warc-file.ts";

export interface JoinedWarcs {
  warcs: number;
  bytes: number;
}

/**
 * The finished WARCs of a folder as one. A WARC is a sequence of gzip members, so they are concatenated.
 * Those still being written are left out; damaged ones are refused, before anything is written. Ends the stream.
 */
export async function joinWarcs(
  folder: string,
  output: Writable | ((pieces: AsyncIterable<Buffer>) => Promise<void>),
): Promise<JoinedWarcs> {
  const warcs = (await namesIn(folder)).filter((name) => name.endsWith(WARC_SUFFIX));
  if (warcs.length === 0) throw new TrawlError("NOTHING_TO_EXPORT", `There is no finished WARC in ${folder}.`);
  await assertIntact(folder);
  let bytes = 0;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (const name of warcs) {
      for await (const piece of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) {
        bytes += piece.length;
        yield piece;
      }
    }
  }
  await pipeline(pieces, output);
  return { warcs: warcs.length, bytes };
}
