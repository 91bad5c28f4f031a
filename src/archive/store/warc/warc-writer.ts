/**
 * Writes what was fetched as WARC/1.1: a request and a response, or a revisit when the WARCs already hold the page that
 * the server sent or answered 304 for. A new file is started before one exceeds its size. One writer per folder.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { FileSystem } from "../../../storage/file-system.ts";
import { type Capture, captureRecord, requestRecord, soughtDigest } from "./capture.ts";
import { cdxjTimestamp } from "./cdxj.ts";
import { Originals } from "./originals.ts";
import { OPEN_SUFFIX, recoverWarcs, WARC_SUFFIX, WarcFile } from "./warc-file.ts";
import { newRecordId, recordMember } from "./warc-record.ts";

export interface WrittenCapture {
  type: "response" | "revisit";
  file: string;
  offset: number;
  length: number;
}

export interface WarcWriterOptions {
  folder: string;
  /** Fields of the warcinfo record at the beginning of each file: `software`, `http-header-user-agent`, `robots`, … */
  info: Record<string, string>;
  /** A new file is started before one exceeds this. */
  maxBytes: number;
  now: () => number;
  onNotice: (text: string) => void;
  fs?: FileSystem;
}

/** A gigabyte, as the WARC standard recommends. */
export const WARC_MAX_BYTES = 1_000_000_000;

/** A file, what is being added to it, and how many bytes are reserved in it. */
interface Slot {
  file: Promise<WarcFile>;
  adding: Set<Promise<unknown>>;
  claimed: number;
}

export class WarcWriter {
  readonly #options: WarcWriterOptions;
  readonly #originals: Originals;
  #slot: Slot | null = null;
  #serial = 0;
  readonly #finishing: Promise<void>[] = [];

  private constructor(options: WarcWriterOptions, originals: Originals) {
    this.#options = options;
    this.#originals = originals;
  }

  /** Files that a crash left open are finished first. */
  static async open(options: WarcWriterOptions): Promise<WarcWriter> {
    await recoverWarcs(options.folder, options.onNotice, options.fs);
    return new WarcWriter(options, await Originals.read(options.folder));
  }

  /** Whether a WARC has the page with these bytes, so that a 304 can refer to it. */
  holds(sha256: string): boolean {
    return this.#originals.has(`sha256:${sha256}`);
  }

  /** Resolves when it is durable. */
  async write(capture: Capture): Promise<WrittenCapture> {
    const sought = soughtDigest(capture);
    const { record, about } = captureRecord(capture, sought === null ? null : await this.#originals.find(sought));
    const request = requestRecord(capture, record.id);
    const [requestMember, member] = await Promise.all([recordMember(request), recordMember(record)]);
    const slot = this.#claim(requestMember.length + member.length);
    const adding = slot.file.then(async (file) => {
      const offset = await file.add(requestMember, member, capture.at, about);
      this.#originals.add({ ...about, filename: file.name }, offset);
      return { type: record.type as WrittenCapture["type"], file: file.name, offset, length: member.length };
    });
    slot.adding.add(adding);
    try {
      return await adding;
    } finally {
      slot.adding.delete(adding);
    }
  }

  /**
   * Finishes the current file: waits for everything written, sorts the index, and gives both files their final names.
   */
  async close(): Promise<void> {
    this.#retire();
    await Promise.all(this.#finishing);
  }

  #claim(bytes: number): Slot {
    if (this.#slot !== null && this.#slot.claimed + bytes > this.#options.maxBytes) this.#retire();
    if (this.#slot === null) {
      const slot: Slot = { file: this.#create(), adding: new Set(), claimed: 0 };
      // A file that could not be created (on a full disk) must not block everything after it.
      slot.file.catch(() => {
        if (this.#slot === slot) this.#slot = null;
      });
      this.#slot = slot;
    }
    this.#slot.claimed += bytes;
    return this.#slot;
  }

  #retire(): void {
    const slot = this.#slot;
    if (slot === null) return;
    this.#slot = null;
    const finished = Promise.allSettled(slot.adding).then(async () => (await slot.file).finish());
    // `close` reports it. Until then, a failed rotation must not end the process.
    finished.catch(() => {});
    this.#finishing.push(finished);
  }

  async #create(): Promise<WarcFile> {
    const { folder, info, now, fs } = this.#options;
    const at = now();
    let base: string;
    do {
      base = `trawl-${cdxjTimestamp(at)}-${String(++this.#serial).padStart(5, "0")}`;
    } while (await exists(join(folder, base + WARC_SUFFIX)));
    const fields = { format: "WARC File Format 1.1", conformsTo: CONFORMS_TO, ...info };
    const block = Object.entries(fields).map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, " ")}\r\n`);
    const warcinfo = await recordMember({
      type: "warcinfo",
      id: newRecordId(),
      at,
      headers: [["WARC-Filename", base + WARC_SUFFIX]],
      contentType: "application/warc-fields",
      block: Buffer.from(block.join("")),
    });
    return WarcFile.create(folder, base, warcinfo, fs);
  }
}

const CONFORMS_TO = "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

const exists = async (path: string): Promise<boolean> =>
  (await Promise.allSettled([stat(path), stat(path + OPEN_SUFFIX)])).some(({ status }) => status === "fulfilled");
