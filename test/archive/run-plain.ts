/** Archives a workspace from its own seeds, as its settings say, in a process that tests kill. */
import { ArchiveCrawl } from "../../src/archive/archive-crawl.ts";
import { openWorkspace, workspaceSeeds } from "../../src/archive/workspace.ts";

const workspace = openWorkspace(process.argv[2]!, Date.now());
const seeds = await workspaceSeeds(workspace.root);
const { error } = await (await ArchiveCrawl.start({ workspace, seeds })).ended;
if (error !== null) throw error;
