/** A server with one fault per path, and a start page that links to all of them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { listenOnLoopback } from "../../src/demo/loopback.ts";

export interface FaultServerOptions {
  port?: number;
  /** Which faults the start page links to; all by default. */
  faults?: readonly FaultName[];
  /** The pause between two bytes of /slow-drip. */
  dripMs?: number;
}

export interface FaultServer {
  /** The start page: links to the faults and to the good pages. */
  url: string;
  port: number;
  /** How often each path was requested. */
  counts(): Map<string, number>;
  openSockets(): number;
  close(): Promise<void>;
}

/** Paths that answer properly, so that a test sees the crawl continue despite the faults. */
export const GOOD_PATHS = ["/good/1", "/good/2", "/good/3", "/good/4", "/good/5"] as const;

type Fault = (response: ServerResponse, attempt: number, dripMs: number) => void;

const HTML = { "content-type": "text/html; charset=utf-8" };
const MEBIBYTE = Buffer.alloc(1 << 20, "<p>more</p>");

const FAULTS = {
  /** Takes the request and never answers. */
  "/silent": () => {},
  /** Answers at once, then sends a byte at a time, forever. */
  "/slow-drip": (response, _attempt, dripMs) => {
    response.writeHead(200, HTML).write("<p>");
    const timer = setInterval(() => response.write("."), dripMs);
    response.once("close", () => clearInterval(timer));
  },
  /** Resets the connection instead of answering. */
  "/reset": (response) => {
    response.socket?.resetAndDestroy();
  },
  /** Resets the connection in the middle of a body. */
  "/reset-midway": (response) => {
    response.writeHead(200, { ...HTML, "content-length": "1000" });
    response.write("<p>half", () => response.socket?.resetAndDestroy());
  },
  /** Promises 1,000 bytes, sends 20 and closes. */
  "/short-body": (response) => {
    response.writeHead(200, { ...HTML, "content-length": "1000", connection: "close" });
    response.write("<p>twenty bytes</p>\n", () => response.socket?.end());
  },
  /** An endless body, sent as fast as it is read. */
  "/endless": (response) => {
    response.writeHead(200, HTML);
    const fill = () => {
      while (!response.destroyed && response.write(MEBIBYTE));
    };
    response.on("drain", fill);
    fill();
  },
  /** Claims to be gzip, but is not. */
  "/bad-gzip": (response) => {
    response.writeHead(200, { ...HTML, "content-encoding": "gzip" }).end("<p>plain text</p>");
  },
  /** A gzip stream that stops in the middle. */
  "/cut-gzip": (response) => {
    const whole = gzipSync(randomText());
    response.writeHead(200, { ...HTML, "content-encoding": "gzip" }).end(whole.subarray(0, whole.length >> 1));
  },
  /** 256 MiB of zeros in about 256 KiB. */
  "/gzip-bomb": (response) => {
    response.writeHead(200, { ...HTML, "content-encoding": "gzip" });
    for (let member = 0; member < 256; member++) response.write(BOMB_MEMBER);
    response.end();
  },
  /** Headers beyond any reader's limit. */
  "/header-flood": (response) => {
    const flood = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x-${index}`, "y".repeat(200)]));
    response.writeHead(200, { ...HTML, ...flood }).end("<p>after the flood</p>");
  },
  /** Bytes that are not HTTP. */
  "/not-http": (response) => {
    response.socket?.end("220 mail.harbour-and-line.example ESMTP\r\n");
  },
  /** Redirects to itself. */
  "/redirect-loop": (response) => {
    response.writeHead(302, { location: "/redirect-loop" }).end();
  },
  /** An endless chain of redirects, each to a new URL. */
  "/redirect-forever": (response) => {
    response.writeHead(302, { location: `/redirect-forever?from=${performance.now()}` }).end();
  },
  "/redirect-to-file": (response) => {
    response.writeHead(302, { location: "file:///etc/passwd" }).end();
  },
  "/redirect-to-nowhere": (response) => {
    response.writeHead(302).end();
  },
  /** Fails twice, then answers. */
  "/flaky": (response, attempt) => {
    if (attempt <= 2) response.writeHead(503, HTML).end("<p>not now</p>");
    else response.writeHead(200, HTML).end(page("Flaky", ""));
  },
  /** 429 with Retry-After once, then answers. */
  "/busy-once": (response, attempt) => {
    if (attempt === 1) response.writeHead(429, { "retry-after": "1" }).end();
    else response.writeHead(200, HTML).end(page("Busy once", ""));
  },
  /** 100,000 open elements. */
  "/deep-html": (response) => {
    response.writeHead(200, HTML).end(`${"<div>".repeat(100_000)}<a href="/good/1">deep</a>`);
  },
  /** One attribute of two mebibytes. */
  "/huge-attribute": (response) => {
    response.writeHead(200, HTML).end(`<a title="${"x".repeat(2 << 20)}" href="/good/2">huge</a>`);
  },
  /** A charset that does not exist, and bytes that are not UTF-8. */
  "/bad-charset": (response) => {
    response.writeHead(200, { "content-type": "text/html; charset=no-such" });
    response.end(Buffer.from('<title>caf\xe9</title><a href="/good/3">three</a>', "latin1"));
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

const BOMB_MEMBER = gzipSync(Buffer.alloc(1 << 20));

export async function faultServer(options: FaultServerOptions = {}): Promise<FaultServer> {
  const counts = new Map<string, number>();
  const linked = options.faults ?? FAULT_NAMES;
  const start = page("Faults", [...linked, ...GOOD_PATHS].map((path) => `<a href="${path}">${path}</a>`).join("\n"));

  const server = await listenOnLoopback((request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? "/").split("?", 1)[0]!;
    const attempt = (counts.get(path) ?? 0) + 1;
    counts.set(path, attempt);
    // Resets are the purpose of this server; an unheard 'error' would end the test's process.
    response.on("error", () => {});
    const fault: Fault | undefined = FAULTS[path as FaultName];
    if (fault) fault(response, attempt, options.dripMs ?? 1_000);
    else if (path === "/") response.writeHead(200, HTML).end(start);
    else if (path.startsWith("/good/")) response.writeHead(200, HTML).end(page(path, '<a href="/">back</a>'));
    else response.writeHead(404, HTML).end(page("Not found", ""));
  }, options);

  return {
    url: `${server.url}/`,
    port: server.port,
    counts: () => new Map(counts),
    openSockets: server.openSockets,
    close: server.close,
  };
}

function page(title: string, body: string): string {
  return `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>\n${body}</body></html>`;
}

/** Text that does not compress to nothing, so that half of its gzip form is still something. */
function randomText(): string {
  return Array.from({ length: 5_000 }, (_, index) => `<p>${Math.imul(index, 2654435761) >>> 0}</p>`).join("\n");
}
