/** The thread that reads pages. It answers in the order of the requests. */
import { parentPort, workerData } from "node:worker_threads";
import { readPage } from "../page/extract-page.ts";
import { packReading, type ReaderThreadData, type ReadOrder, transferred } from "./reader-protocol.ts";

const { page, mostBytes } = workerData as ReaderThreadData;

parentPort!.on("message", ({ body: bytes, contentType, xml }: ReadOrder) => {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const answer = packReading(body, readPage(body, contentType, { ...page, xml }, mostBytes));
  parentPort!.postMessage(answer, transferred(answer));
});
