/** A small site with one page that answers only when the test allows it: a crawl of it runs for as long as needed. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface HeldSite {
  url: string;
  /** Resolves when the held page was asked for. */
  reached: Promise<void>;
  /** Lets the held page answer, now and from now on. */
  release(): void;
  close(): Promise<void>;
}

const PAGES = 20;

export async function serveHeldSite(): Promise<HeldSite> {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    if (!/^\/(page\/\d+|held)?$/.test(path)) {
      response.writeHead(404).end();
      return;
    }
    if (path === "/held") {
      reached.resolve();
      await released.promise;
    }
    const links = Array.from({ length: PAGES }, (_, index) => `<a href="/page/${index + 1}">${index + 1}</a>`);
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<title>${path}</title>${links.join(" ")} <a href="/held">held</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    reached: reached.promise,
    release: () => released.resolve(),
    close: async () => {
      released.resolve();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
