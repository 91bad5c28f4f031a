/** `GET /crawls/{id}/export`: all rows of a crawl as an attachment, read as fast as the client takes them. */
import type { Context } from "hono";
import type { App } from "../../app/app.ts";
import { exportQuestion } from "../../app/operations/export.ts";
import { abortConnection } from "./connection.ts";
import { readQuery } from "./read-input.ts";

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl; charset=utf-8" };

export async function sendExport(c: Context, app: Pick<App, "crawlData">): Promise<Response> {
  const question = readQuery(c, exportQuestion, ["fields"]);
  const { id, format, what } = question;
  const { chunks } = await app.crawlData.export(question);
  // A filter that is wrong shows with the first row: before anything was sent, it can still be told.
  const first = chunks.next();
  const headers = {
    "content-type": TYPES[format],
    "content-disposition": `attachment; filename="crawl-${id}-${what}.${format}"`,
    "cache-control": "no-store",
  };
  if (c.req.method !== "HEAD")
    return c.body(
      bodyOf(first, chunks, () => abortConnection(c)),
      200,
      headers,
    );
  // The stream would be dropped unread, and nobody would close its reader.
  chunks.return(undefined);
  return c.body(null, 200, headers);
}

/** Reads on only as the client takes what was read. */
function bodyOf(
  first: IteratorResult<string>,
  chunks: Generator<string>,
  abort: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let piece = first;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (piece.done) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(piece.value));
      try {
        piece = chunks.next();
      } catch {
        // The status has left already: only a broken connection tells that rows are missing.
        abort();
        controller.close();
      }
    },
    cancel: () => void chunks.return(undefined),
  });
}
