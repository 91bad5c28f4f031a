/** Every tool, in the order in which an agent meets them. */
import type { Tool } from "../tool.ts";
import { CONFIG_TOOLS } from "./config.ts";
import { CRAWLING_TOOLS } from "./crawling.ts";
import { FINDING_TOOLS } from "./findings.ts";
import { PROJECT_TOOLS } from "./projects.ts";
import { URL_TOOLS } from "./urls.ts";

export const TOOLS: readonly Tool[] = [
  ...PROJECT_TOOLS,
  ...CRAWLING_TOOLS,
  ...URL_TOOLS,
  ...FINDING_TOOLS,
  ...CONFIG_TOOLS,
];
