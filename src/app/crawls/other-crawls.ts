/** Crawls running in other processes: read once per second and reported like those of this process, so that a screen can follow both. */
import type { Clock } from "../../kernel/clock.ts";
import type { AppEvent, EventListener } from "../events.ts";
import type { CrawlRecord } from "./registry.ts";

export interface OtherCrawlsParts {
  /** Crawls that are running now. */
  running: () => CrawlRecord[];
  /** The current state of one; throws when it was deleted. */
  get: (id: number) => CrawlRecord;
  clock: Clock;
  /** Called when the registry could not be read. It is read again a second later. */
  onProblem: (error: unknown) => void;
}

/** As often as a crawl writes its progress. */
const LOOK_MS = 1_000;

/** Reports them until the returned function is called. Crawls that are already running are not reported as started. */
export function watchOtherCrawls(parts: OtherCrawlsParts, listener: EventListener): () => void {
  const { running, get, clock, onProblem } = parts;
  const tell = (type: AppEvent["type"], { id, projectId }: CrawlRecord) => listener({ type, crawlId: id, projectId });
  const look = (): Map<number, CrawlRecord> => new Map(running().map((record) => [record.id, record]));
  const compare = (before: Map<number, CrawlRecord>, now: Map<number, CrawlRecord>): void => {
    for (const [id, record] of now) {
      const known = before.get(id);
      if (known === undefined) tell("crawl:started", record);
      else if (known.durationMs !== record.durationMs) tell("crawl:progress", record);
    }
    for (const [id, record] of before) if (!now.has(id)) tell(endOf(get, id), record);
  };
  let seen = look();
  const next = (): void => {
    cancel = clock.after(LOOK_MS, next);
    try {
      const before = seen;
      seen = look();
      compare(before, seen);
    } catch (error) {
      // In a timer, an uncaught error would end the server.
      onProblem(error);
    }
  };
  let cancel = clock.after(LOOK_MS, next);
  return () => cancel();
}

function endOf(get: OtherCrawlsParts["get"], id: number): AppEvent["type"] {
  try {
    return ["paused", "stopped"].includes(get(id).state) ? "crawl:stopped" : "crawl:completed";
  } catch {
    return "crawl:stopped";
  }
}
