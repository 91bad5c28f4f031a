/** Arguments that several tools share: ids and settings. */
import { z } from "zod";
import { id } from "../../../app/operations/operation.ts";
import { namedCrawl } from "../named-crawls.ts";

export const crawlId = namedCrawl.meta({ description: "Number of a crawl, its site, or last." });
export const projectId = id.meta({ description: "Number of a project, from list_projects." });

/** The whole schema is 10,000 characters, in every conversation, for three tools. */
export const shownSettings = z.record(z.string(), z.unknown()).optional().meta({
  description:
    'Settings by name, such as {"maxUrls":500,"maxDepth":3,"exclude":["*/tag/*"],"rate":2,"render":true}; `reference` with topic settings lists all.',
});
