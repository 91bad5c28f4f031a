/** A site on loopback over plain HTTP, from a table of pages. It counts requests. */
import { createServer, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface PlainAnswer {
  status?: number;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

export interface PlainHost {
  /** `127.0.0.1:8123`. */
  host: string;
  /** Path and query of every request, in order. */
  requests: string[];
  /** How often each was requested. */
  counts(): Record<string, number>;
  /** Resolves when so many requests have come in all. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

/** `answer` gets path and query; null for 404. Closed with the test. */
export async function plainHost(
  t: TestContext,
  answer: (path: string, self: string) => string | PlainAnswer | null,
  name = "127.0.0.1",
): Promise<PlainHost> {
  const requests: string[] = [];
  const waiting = new Set<{ count: number; resolve: () => void }>();
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    requests.push(path);
    for (const one of waiting) if (requests.length >= one.count && waiting.delete(one)) one.resolve();
    const found = answer(path, host) ?? { status: 404, body: "<h1>404</h1>" };
    const { status = 200, headers = {}, body = "" } = typeof found === "string" ? { body: found } : found;
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `${name}:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  t.after(close);
  return {
    host,
    requests,
    close,
    counts() {
      const counts: Record<string, number> = {};
      for (const path of requests) counts[path] = (counts[path] ?? 0) + 1;
      return counts;
    },
    until: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.add({ count, resolve });
      }),
  };
}

/** A page with these links. */
export const linking = (...links: string[]): string =>
  `<!doctype html><title>page</title>${links.map((link) => `<a href="${link.replaceAll("&", "&amp;")}">x</a>`).join("\n")}`;
