/** Every screen of the web app, for tests and screenshots. Crawl 2 of project 1 is looked at, crawl 1 is before it. */

export interface Screen {
  name: string;
  path: (siteUrl: string) => string;
}

const at = (name: string, path: string): Screen => ({ name, path: () => path });

export const SCREENS: readonly Screen[] = [
  at("start", "/"),
  at("new-crawl", "/new"),
  at("live", "/crawls/2/live"),
  at("issues", "/crawls/2/issues"),
  at("issue", "/crawls/2/issue?rule=title.too_short"),
  at("overview", "/crawls/2/overview"),
  at("explorer", "/crawls/2/explorer"),
  { name: "url", path: (siteUrl) => `/crawls/2/explorer?inspect=${encodeURIComponent(`${siteUrl}shop`)}` },
  at("links", "/crawls/2/links"),
  at("structure", "/crawls/2/structure"),
  at("graph", "/crawls/2/graph"),
  at("tree", "/crawls/2/graph?view=tree"),
  at("decisions", "/crawls/2/decisions"),
  at("compare", "/crawls/2/compare"),
  at("sql", "/crawls/2/sql"),
  at("crawls", "/projects/1/crawls"),
  at("settings", "/projects/1/settings"),
  at("schedule", "/projects/1/schedule"),
  at("schedules", "/schedules"),
  at("archives", "/archives"),
  at("atproto", "/atproto"),
];
