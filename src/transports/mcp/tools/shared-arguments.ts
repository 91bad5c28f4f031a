/** Arguments that several tools share: a crawl's id, and settings, without those that reach into this machine. */

import { z } from "zod";
import type { CrawlSetting } from "../../../app/config/setting-checks.ts";
import { id } from "../../../app/operations/operation.ts";
import { TrawlError } from "../../../errors.ts";

export const crawlId = id.meta({ description: "Number of a crawl, from list_projects, list_crawls or start_crawl." });
export const projectId = id.meta({ description: "Number of a project, from list_projects." });

/**
 * Settings that name programs, files or ways into the network of this machine. An agent that reads web pages can be
 * talked into anything, so these are for people: on the command line, in the web app.
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
    `${refused.join(", ")}: reaches into this machine or its network, so only a person may set it, by the command line or the web app.`,
  );
}
