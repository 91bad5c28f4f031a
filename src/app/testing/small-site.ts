/** A site of numbered pages on loopback, and a home for crawls of it. */
import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { serveHttp } from "../../net/testing/servers.ts";
import { Crawls } from "../crawls/crawls.ts";
import { type Home, openHome } from "../home.ts";

export interface SmallSite {
  url: string;
  /** `METHOD /path` of every request. */
  asked: string[];
}

/** Page n links to 2n and 2n+1, so that all `pages` are found from the first. `answer` can handle a path instead. */
export async function smallSite(
  t: TestContext,
  pages: number,
  answer: (path: string, response: ServerResponse) => boolean = () => false,
): Promise<SmallSite> {
  const asked: string[] = [];
  const server = await serveHttp(t, (request, response) => {
    const path = request.url ?? "/";
    asked.push(`${request.method} ${path}`);
    if (answer(path, response)) return;
    const number = path === "/" ? 1 : Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? 0);
    if (number === 0) {
      response.writeHead(404, { "content-type": "text/plain" }).end("nothing here");
      return;
    }
    const next = [2 * number, 2 * number + 1].filter((target) => target <= pages);
    const links = next.map((target) => `<a href="/page/${target}">Page ${target}</a>`).join(" ");
    response.writeHead(200, { "content-type": "text/html", etag: `"${number}"` });
    response.end(`<title>Page ${number}</title><h1>Page ${number}</h1>${links}`);
  });
  return { url: `${server.origin}/`, asked };
}

/** `before`: ends whatever must end before the folder is removed. */
export function temporaryHome(t: TestContext, before: () => unknown = () => {}): Home {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(async () => {
    await before();
    rmSync(folder, { recursive: true, force: true });
  });
  return openHome({ TRAWL_HOME: folder });
}

export function temporaryCrawls(t: TestContext, home = temporaryHome(t)): Crawls {
  const crawls = new Crawls(home);
  t.after(() => crawls.close());
  return crawls;
}
