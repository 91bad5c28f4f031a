/** Opens the stores of a run, and its log before them. */
import { systemClock } from "../kernel/clock.ts";
import type { ArchiveRun, RunOptions } from "./archive-run.ts";
import { RunLog } from "./run-log.ts";
import { ArchiveStores, type StoresOptions } from "./stores.ts";

/** Metrics ask `current` for what goes up and down. */
export async function openStores(
  { workspace, clock = systemClock, events = {}, warc, requisites, software = "trawl" }: RunOptions,
  mode: StoresOptions["mode"],
  current: () => ArchiveRun | null,
): Promise<ArchiveStores> {
  const { paths, settings } = workspace;
  const log = new RunLog(mode === "scrape" ? paths.scraperLog : paths.crawlerLog, settings.config.log, clock);
  log.write("info", `${COMMANDS[mode]} of ${settings.hosts.join(", ")}, by ${software}`);
  try {
    return await ArchiveStores.open(workspace, {
      mode,
      clock,
      warc: warc ?? null,
      requisites: requisites ?? null,
      software,
      log,
      onNotice: log.telling(events.onNotice),
      levels: {
        frontier_size: () => current()?.openPages ?? 0,
        in_flight: () => current()?.crawl?.inFlight ?? 0,
        paused: () => (current()?.isPaused ? 1 : 0),
      },
    });
  } catch (error) {
    log.failed(error);
    throw error;
  }
}

const COMMANDS: Record<StoresOptions["mode"], string> = {
  archive: "run",
  discover: "run --discover",
  scrape: "scrape",
};
