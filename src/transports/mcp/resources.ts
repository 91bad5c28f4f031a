/** Resources: what a user can attach to a conversation without a tool call. */
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import type { App } from "../../app/app.ts";
import { TrawlError } from "../../errors.ts";
import { type Answer, renderAnswer, START } from "./answer.ts";
import { MAX_TOKENS } from "./model-text.ts";
import { referenceAnswer, TOPICS, type Topic } from "./tools/config.ts";
import { crawlOverview, projectList } from "./tools/projects.ts";

const MIME_TYPE = "text/plain";

const TOPIC_TITLES: Record<Topic, string> = {
  fields: "Fields of a URL, for query_urls",
  tables: "Tables and columns, for sql",
  settings: "Settings of a crawl, with defaults",
  reasons: "Reasons why URLs are not crawled",
};

export function registerResources(server: McpServer, app: App): void {
  server.registerResource(
    "crawls",
    "trawl://crawls",
    { title: "Crawled websites", description: "Projects with their latest crawls.", mimeType: MIME_TYPE },
    async (uri) => contents(uri, await projectList(app)),
  );
  server.registerResource(
    "crawl",
    new ResourceTemplate("trawl://crawls/{id}", {
      list: async () => ({ resources: await latestCrawls(app) }),
      complete: { id: async (typed) => (await latestIds(app)).filter((id) => id.startsWith(typed)) },
    }),
    { title: "Overview of a crawl", description: "The overview of one crawl.", mimeType: MIME_TYPE },
    async (uri, { id }) => contents(uri, await crawlOverview(app, crawlNumber(String(id)))),
  );
  for (const topic of TOPICS) {
    server.registerResource(
      topic,
      `trawl://reference/${topic}`,
      { title: TOPIC_TITLES[topic], mimeType: MIME_TYPE },
      async (uri) => contents(uri, await referenceAnswer(app, topic)),
    );
  }
}

const contents = (uri: URL, answer: Answer) => ({
  contents: [{ uri: uri.href, mimeType: MIME_TYPE, text: renderAnswer(answer, START, MAX_TOKENS).text }],
});

function crawlNumber(typed: string): number {
  if (!/^[1-9]\d{0,14}$/.test(typed)) {
    throw new TrawlError("CRAWL_NOT_FOUND", "This crawl does not exist; crawl ids are numbers.");
  }
  return Number(typed);
}

const latestCrawls = async (app: App) =>
  (await app.projects.list()).flatMap(({ latestCrawlId, domain }) =>
    latestCrawlId === null
      ? []
      : [{ uri: `trawl://crawls/${latestCrawlId}`, name: `Crawl ${latestCrawlId} of ${domain}`, mimeType: MIME_TYPE }],
  );

const latestIds = async (app: App): Promise<string[]> =>
  (await app.projects.list()).flatMap(({ latestCrawlId }) => (latestCrawlId === null ? [] : [String(latestCrawlId)]));
