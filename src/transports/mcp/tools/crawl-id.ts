/** The arguments that most tools share. */
import { id } from "../../../app/operations/operation.ts";

export const crawlId = id.meta({ description: "Number of a crawl, from list_projects, list_crawls or start_crawl." });
export const projectId = id.meta({ description: "Number of a project, from list_projects." });
