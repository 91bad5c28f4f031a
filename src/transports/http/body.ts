/** The body of a request, up to a limit. */
import { TrawlError } from "../../errors.ts";

/** Enough for a list of 100,000 URLs, the most that one crawl takes through this door. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

export async function readBodyText({ headers, body }: Request): Promise<string> {
  if (Number(headers.get("content-length")) > MAX_BODY_BYTES) throw new TrawlError("BODY_TOO_LARGE");
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  // A body without a length, or with more than it said, is counted as it comes.
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new TrawlError("BODY_TOO_LARGE");
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** The same request with its body read: a handler that we hand it to cannot be made to read without end. */
export async function withReadBody(request: Request): Promise<Request> {
  const { method, headers, signal, url } = request;
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
  return new Request(url, { method, headers, signal, body: await readBodyText(request) });
}
