/** The document that was already fetched, as the answer the browser gets for its navigation. */
import type { Protocol } from "puppeteer-core";
import type { RenderRequest } from "./contract.ts";

const DROPPED = new Set([
  // The body is decoded, so its length differs.
  "content-encoding",
  "content-length",
  "transfer-encoding",
  "trailer",
  // Would turn it into a download.
  "content-disposition",
  // Would make the browser repeat the request with hints.
  "accept-ch",
  "critical-ch",
  // Would load other pages, past the gate.
  "speculation-rules",
  // Would report our visit to others.
  "nel",
  "report-to",
  "reporting-endpoints",
]);

/** These show nothing: the browser stays where it was. */
const WITHOUT_DOCUMENT = new Set([204, 205, 304]);

export function documentResponse(request: RenderRequest): Omit<Protocol.Fetch.FulfillRequestRequest, "requestId"> {
  return {
    // A redirect is followed when it is answered as one; here it is a page like any other.
    responseCode: isShown(request.status) ? request.status : 200,
    responseHeaders: request.headers
      .filter(([name]) => !DROPPED.has(name.toLowerCase()))
      .map(([name, value]) => ({ name, value })),
    // An empty answer with an error status is replaced by the browser's own error page.
    body: request.body.length === 0 ? "IA==" : request.body.toString("base64"),
  };
}

function isShown(status: number): boolean {
  return status >= 200 && status <= 599 && !(status >= 300 && status < 400) && !WITHOUT_DOCUMENT.has(status);
}
