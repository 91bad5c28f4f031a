/** Independent readers of what we write: they share no code with the WARC and ZIP writers. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { crc32, gunzipSync } from "node:zlib";
import { openPromise } from "yauzl";

export interface CheckedDigests {
  /** Digests that were recomputed and found right. */
  right: number;
  /** Payload digests of revisits, whose payload is in another record. */
  elsewhere: number;
}

/**
 * Recomputes every digest of a WARC file from the bytes alone (ISO 28500:2017, 5.8 and 5.9). Throws when one is wrong.
 */
export function checkDigests(path: string): CheckedDigests {
  let rest: Buffer = gunzipSync(readFileSync(path));
  const checked: CheckedDigests = { right: 0, elsewhere: 0 };
  while (rest.length > 0) {
    const [head, afterHead] = splitAtBlankLine(rest);
    const field = (name: string): string | null => new RegExp(`^${name}: (.*)\r$`, "mi").exec(head)?.[1] ?? null;
    const length = Number(field("Content-Length"));
    const block = afterHead.subarray(0, length);
    const end = afterHead.subarray(length, length + 4).toString();
    assert.deepEqual([block.length, end], [length, "\r\n\r\n"], "the record is as long as it says");
    rest = afterHead.subarray(length + 4);
    assert.equal(field("WARC-Block-Digest"), sha256(block), `block of\n${head}`);
    checked.right++;
    const payloadDigest = field("WARC-Payload-Digest");
    if (payloadDigest === null) continue;
    if (field("WARC-Type") === "revisit") checked.elsewhere++;
    else {
      assert.equal(payloadDigest, sha256(splitAtBlankLine(block)[1]), `payload of\n${head}`);
      checked.right++;
    }
  }
  return checked;
}

function splitAtBlankLine(bytes: Buffer): [head: string, rest: Buffer] {
  const end = bytes.indexOf("\r\n\r\n") + 4;
  return [bytes.toString("utf8", 0, end), bytes.subarray(end)];
}

const sha256 = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export interface ZipEntry {
  isStored: boolean;
  modifiedAt: Date;
  bytes: Buffer;
}

/** The entries of a ZIP file, in order, with sizes and checksums checked. Throws when the file breaks the format. */
export async function readZip(path: string): Promise<Map<string, ZipEntry>> {
  const zip = await openPromise(path, { strictFileNames: true });
  const entries = new Map<string, ZipEntry>();
  for await (const entry of zip.eachEntry()) {
    const bytes = await buffer(await zip.openReadStreamPromise(entry));
    assert.equal(crc32(bytes), entry.crc32, entry.fileName);
    assert.ok(!entries.has(entry.fileName), `${entry.fileName} is there once`);
    const modifiedAt = entry.getLastModDate({ timezone: "UTC" });
    entries.set(entry.fileName, { isStored: entry.compressionMethod === 0, modifiedAt, bytes });
  }
  return entries;
}
