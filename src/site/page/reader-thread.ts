/** A thread that reads pages: answers in the order in which it was asked. */
import { parentPort, workerData } from "node:worker_threads";
import { readPage } from "./extract-page.ts";
import type { PageOptions } from "./options.ts";
import { packReading, type ReadOrder, transferred } from "./reader-protocol.ts";

const options = workerData as PageOptions;

parentPort!.on("message", ({ body, contentType }: ReadOrder) => {
  const page = Buffer.from(body.buffer, body.byteOffset, body.length);
  const answer = packReading(page, readPage(page, contentType, options));
  parentPort!.postMessage(answer, transferred(answer));
});
