/** An archive, as a process of its own. */
import { ArchiveCrawl, type ArchiveCrawlOptions } from "../../src/archive/archive-crawl.ts";
import { openWorkspace } from "../../src/archive/workspace.ts";
import { endChild } from "./run-child.ts";

type Input = Pick<ArchiveCrawlOptions, "seeds" | "reach"> & { folder: string };

const { folder, ...options } = JSON.parse(process.argv[2]!) as Input;
const crawl = await ArchiveCrawl.start({ workspace: openWorkspace(folder, Date.now()), ...options });
const { error } = await crawl.ended;
if (error !== null) throw error;
endChild({ open: crawl.progress().open });
