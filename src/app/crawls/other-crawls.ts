/** Crawls running in other processes: read once per second and reported like those of this process, so that a screen can follow both. */
import type { Clock } from "../../kernel/clock.ts";
import type { AppEvent, EventListener } from "../events.ts";
import type { CrawlRecord } from "./registry.ts";

export interface OtherCrawlsParts {
  /** Crawls that are running now. */
  running: () => CrawlRecord[];
  /** The current state of one; throws when it was deleted. */
  get: (id: number) => CrawlRecord;
  /** Whether another process still works on it. A process that paused it does. */
  isElsewhere: (id: number) => boolean;
  clock: Clock;
  /** Called when the registry could not be read. It is read again a second later. */
  onProblem: (error: unknown) => void;
}

/** As often as a crawl writes its progress. */
const LOOK_MS = 1_000;

/**
 * Reports them until the returned function is called. Crawls that are already running are not reported as started, and
 * a crawl counts as ended only once no process works on it, so neither a pause nor a takeover by this process is an
 * end.
 */
export function watchOtherCrawls(parts: OtherCrawlsParts, listener: EventListener): () => void {
  const { running, get, isElsewhere, clock, onProblem } = parts;
  const tell = (type: AppEvent["type"], { id, projectId }: CrawlRecord) => listener({ type, crawlId: id, projectId });
  let seen = new Map(running().map((record) => [record.id, record]));
  const look = (): void => {
    const before = seen;
    const now = new Map(running().map((record) => [record.id, record]));
    const gone = [...before.values()].filter(({ id }) => !now.has(id));
    const paused = gone.filter(({ id }) => isElsewhere(id));
    seen = new Map([...now, ...paused.map((record) => [record.id, pausedFrom(record)] as const)]);
    for (const [id, record] of seen) {
      const known = before.get(id);
      if (known === undefined) tell("crawl:started", record);
      else if (known.durationMs !== record.durationMs || known.state !== record.state) tell("crawl:progress", record);
    }
    for (const record of gone) {
      const end = paused.includes(record) ? null : endOf(get, record.id);
      if (end !== null) tell(end, record);
    }
  };
  const next = (): void => {
    cancel = clock.after(LOOK_MS, next);
    try {
      look();
    } catch (error) {
      // In a timer, an uncaught error would end the server.
      onProblem(error);
    }
  };
  let cancel = clock.after(LOOK_MS, next);
  return () => cancel();
}

const pausedFrom = (record: CrawlRecord): CrawlRecord => ({ ...record, state: "paused" });

/** Null for a crawl that has not ended: this process has taken it over and reports it itself. */
function endOf(get: OtherCrawlsParts["get"], id: number): AppEvent["type"] | null {
  try {
    const { state } = get(id);
    if (state === "running") return null;
    return state === "paused" || state === "stopped" ? "crawl:stopped" : "crawl:completed";
  } catch {
    return "crawl:stopped";
  }
}
