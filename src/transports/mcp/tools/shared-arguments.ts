/** Arguments that several tools share: a crawl's id, and settings, except those that affect this machine. */

import { z } from "zod";
import type { CrawlSetting } from "../../../app/config/setting-checks.ts";
import { id } from "../../../app/operations/operation.ts";
import { TrawlError } from "../../../errors.ts";

export const crawlId = id.meta({ description: "Number of a crawl, from list_projects, list_crawls or start_crawl." });
export const projectId = id.meta({ description: "Number of a project, from list_projects." });

/**
 * Settings that name programs or files on this machine, or change where requests go. A web page can manipulate the agent that
 * reads it, so only people may set these: on the command line, or in the web app.
 */
const PEOPLE_ONLY = [
  "browser",
  "cacheDir",
  "ca",
  "connectTo",
  "proxy",
  "insecure",
  "allowPrivate",
] as const satisfies readonly CrawlSetting["name"][];

/** The whole schema is 10,000 characters, in every conversation, for three tools. */
export const shownSettings = z.record(z.string(), z.unknown()).optional().meta({
  description:
    'Settings by name, such as {"maxUrls":500,"maxDepth":3,"exclude":["*/tag/*"],"rate":2,"render":true}; `reference` with topic settings lists all.',
});

export function checkSettings(settings: Record<string, unknown> | undefined): void {
  const refused = PEOPLE_ONLY.filter((name) => settings?.[name] !== undefined);
  if (refused.length === 0) return;
  throw new TrawlError(
    "BAD_CONFIG",
    `${refused.join(", ")}: affects this machine or its network, so only a person may set it, on the command line or in the web app.`,
  );
}
