/**
 * Archives or scrapes a workspace in a separate process, for tests that kill it. Appends the time of every request it
 * makes to a file: when a request reaches the server also depends on how busy the machine is.
 */
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, readFileSync } from "node:fs";
import { ArchiveCrawl } from "../../src/archive/archive-crawl.ts";
import { Scrape } from "../../src/archive/spool/scrape.ts";
import { openWorkspace } from "../../src/archive/workspace.ts";

const [folder = "", port = "", ca = "", times = "", what = "archive"] = process.argv.slice(2);
subscribe("undici:request:create", () => appendFileSync(times, `${performance.timeOrigin + performance.now()}\n`));
const options = {
  workspace: openWorkspace(folder, Date.now()),
  reach: {
    connectTo: [{ host: "github.com", port: 443, address: "127.0.0.1", toPort: Number(port) }],
    ca: readFileSync(ca, "utf8"),
  },
  events: { onNotice: (text: string) => console.error(text) },
};
const run =
  what === "scrape"
    ? await Scrape.start({ ...options, follow: false })
    : await ArchiveCrawl.start({
        ...options,
        seeds: ["https://github.com/topics"],
        mode: what === "discover" ? "discover" : "archive",
      });
const { error } = await run.ended;
if (error !== null) throw error;
