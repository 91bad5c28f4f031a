/**
 * The request trace: a file with every request of a crawl, as JSON lines or as HAR 1.2. Each request is written at once
 * and the file is always complete, so a process that is killed leaves a readable file.
 */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { TrawlError } from "../../errors.ts";
import { keepFilePrivate, PRIVATE_FILE } from "../../kernel/sqlite/private-files.ts";
import type { ExchangeReport, OnExchange } from "../../net/client.ts";
import { type HeaderPairs, headerValue } from "../../net/headers.ts";
import { jsonLine } from "../../storage/json-line.ts";
import { HIDDEN, secretHeadersOf } from "../credentials/secrets.ts";

const ALWAYS_SECRET = ["authorization", "proxy-authorization", "cookie", "set-cookie"];

/** An observer that sees no secrets: neither the usual secret headers, nor those that the settings treat as secret. */
export function withoutSecretHeaders(onExchange: OnExchange, headers: Record<string, string>): OnExchange {
  const own = Object.keys(secretHeadersOf(headers)).map((name) => name.toLowerCase());
  const secret = new Set([...ALWAYS_SECRET, ...own]);
  const hide = (pairs: HeaderPairs): HeaderPairs =>
    pairs.map(([name, value]) => [name, secret.has(name) ? HIDDEN : value]);
  return (report) =>
    onExchange({
      ...report,
      requestHeaders: hide(report.requestHeaders),
      responseHeaders: hide(report.responseHeaders),
    });
}

interface Format {
  head: string;
  entry(report: ExchangeReport): string;
  /** Between two entries. */
  separator: string;
  /** The position after the last entry, where the next one is written. */
  foot: string;
}

export interface RequestTrace {
  onExchange: OnExchange;
  close(): void;
}

export interface TraceOptions {
  version: string;
  /** Called once, when the file cannot be written any more; the crawl continues. */
  onProblem: (message: string) => void;
}

/** Replaces the file. HAR if its name ends with `.har`, otherwise JSON lines. */
export function openTrace(path: string, { version, onProblem }: TraceOptions): RequestTrace {
  const format = /\.har$/i.test(path) ? har(version) : JSON_LINES;
  const file = openFile(path, format);
  return {
    onExchange(report) {
      try {
        file.add(format.entry(report));
      } catch (error) {
        onProblem(`the request trace ${path} ends here, it cannot be written: ${(error as Error).message}`);
      }
    },
    close: () => file.close(),
  };
}

function openFile(path: string, format: Format): TraceFile {
  try {
    return new TraceFile(path, format);
  } catch (error) {
    throw new TrawlError("FILE_NOT_WRITABLE", `${path} cannot be written: ${(error as Error).message}`);
  }
}

/** Written synchronously: otherwise a third Ctrl-C or a crash would cut off the most interesting requests. */
class TraceFile {
  readonly #fd: number;
  readonly #format: Format;
  /** Where the next entry goes. */
  #end = 0;
  #entries = 0;
  #isOpen = true;

  constructor(path: string, format: Format) {
    this.#fd = openSync(path, "w", PRIVATE_FILE);
    keepFilePrivate(path);
    this.#format = format;
    try {
      this.#append(format.head);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** After a failure, the file ends with the last whole entry, and later ones are ignored. */
  add(entry: string): void {
    if (!this.#isOpen) return;
    try {
      this.#append(this.#entries === 0 ? entry : this.#format.separator + entry);
      this.#entries++;
    } catch (error) {
      this.#cut();
      this.close();
      throw error;
    }
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }

  #append(text: string): void {
    const bytes = Buffer.from(text + this.#format.foot);
    this.#write(bytes);
    this.#end += bytes.length - Buffer.byteLength(this.#format.foot);
  }

  #write(bytes: Buffer): void {
    // If there is no foot, nothing is overwritten, so a pipe works as well.
    const at = (done: number) => (this.#format.foot === "" ? null : this.#end + done);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#fd, bytes, done, bytes.length - done, at(done));
    }
  }

  #cut(): void {
    try {
      ftruncateSync(this.#fd, this.#end);
      this.#write(Buffer.from(this.#format.foot));
    } catch {
      // The disk accepts nothing at all, and the failure has been reported already.
    }
  }
}

const JSON_LINES: Format = {
  head: "",
  separator: "",
  foot: "",
  entry: ({ startedAt, error, timings, ...rest }) =>
    jsonLine({
      startedAt: new Date(startedAt).toISOString(),
      ...rest,
      timings: Object.fromEntries(Object.entries(timings).map(([phase, ms]) => [phase, rounded(ms)])),
      error: error && { code: error.code, message: error.message },
    }),
};

const har = (version: string): Format => ({
  head: `{"log":{"version":"1.2","creator":${JSON.stringify({ name: "Trawl", version })},"entries":[\n`,
  separator: ",\n",
  foot: "\n]}}\n",
  entry: (report) => jsonLine(harEntry(report)).trimEnd(),
});

function harEntry(report: ExchangeReport): Record<string, unknown> {
  const { startedAt, url, method, status, error, remoteAddress, responseHeaders, wireBytes, decodedBytes } = report;
  const httpVersion = report.httpVersion === "2" ? "HTTP/2" : "HTTP/1.1";
  const timings = harTimings(report);
  const size = decodedBytes ?? wireBytes;
  return {
    startedDateTime: new Date(startedAt).toISOString(),
    time: rounded(report.timings.total),
    request: {
      method,
      url,
      httpVersion,
      cookies: [],
      headers: named(report.requestHeaders),
      queryString: named([...new URL(url).searchParams]),
      headersSize: -1,
      bodySize: report.requestBytes,
    },
    // A request without an answer has the status 0, as in browsers.
    response: {
      status: status ?? 0,
      statusText: report.statusText,
      httpVersion,
      cookies: [],
      headers: named(responseHeaders),
      content: {
        size,
        compression: size - wireBytes,
        mimeType: headerValue(responseHeaders, "content-type") ?? "x-unknown",
        ...(report.truncated === null ? {} : { comment: `incomplete: ${report.truncated}` }),
      },
      redirectURL: headerValue(responseHeaders, "location") ?? "",
      headersSize: -1,
      bodySize: status === null ? -1 : wireBytes,
      ...(error === null ? {} : { _error: error.code, comment: error.message }),
    },
    cache: {},
    timings,
    ...(remoteAddress === null ? {} : { serverIPAddress: remoteAddress }),
    ...(report.page === undefined ? {} : { _page: report.page }),
  };
}

/** In HAR, `connect` includes TLS, -1 is a phase that did not take place, and the phases without `ssl` add up to `time`. */
function harTimings({ timings, isSent }: ExchangeReport): Record<string, number> {
  const { dns, connect, tls, firstByte, download, total } = timings;
  const blocked = Math.max(0, total - dns - connect - tls - firstByte - download);
  const orNone = (ms: number) => (ms === 0 ? -1 : rounded(ms));
  return {
    blocked: rounded(blocked),
    dns: orNone(dns),
    connect: orNone(connect + tls),
    ssl: orNone(tls),
    send: 0,
    wait: isSent ? rounded(firstByte) : 0,
    receive: rounded(download),
  };
}

const named = (pairs: [string, string][]): { name: string; value: string }[] =>
  pairs.map(([name, value]) => ({ name, value }));

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
