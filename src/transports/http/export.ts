/** `GET /crawls/{id}/export`: all rows of a crawl as an attachment, read as fast as the client takes them. */
import type { Context } from "hono";
import { z } from "zod";
import type { App } from "../../app/app.ts";
import { id } from "../../app/operations/operation.ts";
import { filters, search, sort } from "../../app/operations/urls.ts";
import { EXPORT_FORMATS, EXPORT_ROWS, exportChunks, exportFields, exportRows } from "../../site/export/export-rows.ts";
import { abortConnection } from "./connection.ts";
import { readQuery } from "./read-input.ts";

export const exportQuery = z.object({
  id,
  format: z.enum(EXPORT_FORMATS).default("csv"),
  what: z.enum(EXPORT_ROWS).default("urls").meta({ description: "Filters of links ask about the link's target." }),
  fields: z.array(z.string()).max(100).default([]).meta({ description: "Separated by commas; all when left out." }),
  filter: filters,
  search,
  sort,
  raw: z.boolean().default(false).meta({
    description: "CSV: leave cells as they are; otherwise those that a spreadsheet would run get a ' in front.",
  }),
});

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl; charset=utf-8" };

export async function sendExport(c: Context, app: Pick<App, "crawlData">): Promise<Response> {
  const { id, format, what, fields, filter, search, sort, raw } = readQuery(c, exportQuery, ["fields"]);
  const names = exportFields(what, fields.length === 0 ? null : fields);
  const reader = app.crawlData.openReader(id);
  const query = { what, fields: names, filters: filter, search, sort };
  let chunks: Generator<string>;
  let first: IteratorResult<string>;
  try {
    chunks = exportChunks(exportRows(reader, query), { format, fields: names, raw });
    // A filter that is wrong shows with the first row: before anything was sent, it can still be told.
    first = chunks.next();
  } catch (error) {
    reader.close();
    throw error;
  }
  const end = (): void => {
    chunks.return(undefined);
    reader.close();
  };
  const headers = {
    "content-type": TYPES[format],
    "content-disposition": `attachment; filename="crawl-${id}-${what}.${format}"`,
    "cache-control": "no-store",
  };
  if (c.req.method !== "HEAD")
    return c.body(
      bodyOf(first, chunks, end, () => abortConnection(c)),
      200,
      headers,
    );
  // The stream would be dropped unread, and nobody would close its reader.
  end();
  return c.body(null, 200, headers);
}

/** Reads on only as the client takes what was read. */
function bodyOf(
  first: IteratorResult<string>,
  chunks: Generator<string>,
  end: () => void,
  abort: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let piece = first;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (piece.done) {
        end();
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(piece.value));
      try {
        piece = chunks.next();
      } catch {
        // The status has left already: only a broken connection tells that rows are missing.
        end();
        abort();
        controller.close();
      }
    },
    cancel: end,
  });
}
