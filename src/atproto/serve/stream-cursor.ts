/** How far a program has followed the archive, as a text that only the server reads: in the snapshot, in the segments and in the events. */
import { z } from "zod";

const place = z.int().min(0);
const streamCursor = z.strictObject({
  /** The last account of the snapshot that was sent; empty before the first, null when the snapshot is over. */
  after: z.string().nullable(),
  /** When the snapshot began, in Unix ms: blocks from long before it are copies (`compact`). */
  began: z.number(),
  blocks: z.strictObject({ below: place, at: z.record(z.string().regex(/^\d+$/), z.int().min(-1)) }),
  /** The next event: its segment, batch, and place in the batch. `made`: when the segment was created, which changes when it is rewritten. */
  events: z.strictObject({ segment: place, offset: place, index: place, made: z.string() }),
});
export type StreamCursor = z.output<typeof streamCursor>;

export const encodeCursor = (cursor: StreamCursor): string => Buffer.from(JSON.stringify(cursor)).toString("base64url");

/** Null when it is not one of ours. */
export function decodeCursor(text: string): StreamCursor | null {
  try {
    return streamCursor.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}
