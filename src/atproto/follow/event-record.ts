/** The record of a stored operation as JSON. */
import { CborProblem, CborReader } from "../repo/cbor-reader.ts";
import { JsonBuffer } from "../repo/json-buffer.ts";
import type { JsonForm } from "../repo/parsed-repo.ts";
import { RecordJson } from "../repo/record-json.ts";

/** Null when it is not DAG-CBOR: what was signed may be anything. */
export function eventRecordJson(record: Buffer, form: JsonForm): Buffer | null {
  const buffer = new JsonBuffer(record.length * 2 + 1_024, record.length * 8 + 1_048_576);
  try {
    new RecordJson(new CborReader(record), buffer, form).write(0, record.length);
  } catch (problem) {
    if (problem instanceof CborProblem) return null;
    throw problem;
  }
  return Buffer.from(buffer.bytes.buffer, 0, buffer.at);
}

/** `collection/rkey` as two. */
export function splitPath(path: string): [collection: string, rkey: string] {
  const slash = path.indexOf("/");
  return [path.slice(0, slash), path.slice(slash + 1)];
}
