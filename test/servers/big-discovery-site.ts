/** A site on which every page links to new URLs: a frontier of any size, cheap to serve. */
import { listenOnLoopback } from "../../src/demo/loopback.ts";
import { sendJson } from "./counting-site.ts";

export interface BigDiscoveryOptions {
  port?: number;
  /** How many pages carry links; any further page is a leaf. */
  pages?: number;
  linksPerPage?: number;
}

export interface BigDiscoveryStats {
  requests: number;
  /** Distinct pages served with links. */
  pages: number;
  /** Distinct URLs handed out, the start page included. */
  discovered: number;
  openSockets: number;
}

export interface BigDiscoverySite {
  url: string;
  port: number;
  stats(): BigDiscoveryStats;
  close(): Promise<void>;
}

export async function bigDiscoverySite(options: BigDiscoveryOptions = {}): Promise<BigDiscoverySite> {
  const pages = options.pages ?? 5_000;
  const linksPerPage = options.linksPerPage ?? 200;
  // Pages are numbered as they are first asked for: numbers stay dense, and a page asked for twice is the same page.
  const numbers = new Map<string, number>();
  let requests = 0;

  const server = await listenOnLoopback((request, response) => {
    const path = request.url ?? "/";
    if (path === "/__stats") return sendJson(response, stats());
    if (path === "/robots.txt") {
      response.writeHead(404).end();
      return;
    }
    requests++;
    let number = numbers.get(path);
    if (number === undefined && numbers.size < pages) {
      number = numbers.size;
      numbers.set(path, number);
    }
    const body = number === undefined ? LEAF : pageHtml(number, linksPerPage);
    response.writeHead(200, { "content-type": "text/html", "content-length": Buffer.byteLength(body) }).end(body);
  }, options);

  function stats(): BigDiscoveryStats {
    const discovered = 1 + numbers.size * linksPerPage;
    return { requests, pages: numbers.size, discovered, openSockets: server.openSockets() };
  }

  return { url: `${server.url}/`, port: server.port, stats, close: server.close };
}

const LEAF = "<!doctype html><html><head><title>Leaf</title></head><body><h1>Leaf</h1></body></html>";

function pageHtml(number: number, linksPerPage: number): string {
  let links = "";
  for (let index = 0; index < linksPerPage; index++) {
    const target = number * linksPerPage + index + 1;
    links += `<a href="/catalogue/${target % 97}/item-${target}.html">Item ${target}</a>\n`;
  }
  return `<!doctype html><html><head><title>Part ${number}</title></head><body><h1>Part ${number}</h1>${links}</body></html>`;
}
