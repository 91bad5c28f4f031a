/** The web app at every path that is nobody else's: its files, and index.html for its screens. */
import type { Context } from "hono";
import { html } from "hono/html";
import { TrawlError } from "../../errors.ts";
import { htmlPage } from "./html-page.ts";
import { methodNotAllowed } from "./problem.ts";
import { StaticFiles } from "./static-files.ts";

export interface WebApp {
  /** A file with a name of its own, which any browser may fetch. */
  isFile(path: string): boolean;
  answer(c: Context): Promise<Response>;
}

/** `folder` is null when there is no web app to serve: then the API is served alone, and a page says so. */
export function createWebApp(folder: string | null): WebApp {
  const files = folder === null ? null : new StaticFiles(folder);
  return {
    isFile: (path) => path !== "/index.html" && files?.has(path) === true,
    async answer(c) {
      const { path, method } = c.req;
      if (method !== "GET" && method !== "HEAD") return methodNotAllowed(["get"]);
      // A missing script must not be answered with a page. Screens' addresses have no dot in their last part.
      const isScreen = path !== "/" && !/\.[^/]*$/.test(path) && !path.startsWith("/assets/");
      const wanted = path === "/" || isScreen ? "/index.html" : path;
      const answer = await files?.answer(wanted, c.req.raw.headers);
      if (answer != null) return answer;
      if (files === null && wanted === "/index.html") return c.html(NO_WEB_APP);
      throw new TrawlError("PATH_NOT_FOUND");
    },
  };
}

const NO_WEB_APP = htmlPage({
  title: "Trawl",
  head: "",
  body: html`<main>
    <h1>Trawl is running, without its web app</h1>
    <p>
      The API works: <a href="/docs">its documentation</a>, <a href="/openapi.json">OpenAPI</a>,
      <a href="/metrics">metrics</a>.
    </p>
    <p>In a checkout, <code>npm install</code> and <code>trawl serve</code> build the web app; without <code>--no-ui</code>.</p>
  </main>`,
});
