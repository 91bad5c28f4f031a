/** Pausing or resuming the crawl at hand, for its button, its shortcut and the palette. */
import { useToast } from "../components/toast.tsx";
import { usePauseCrawl, useResumeCrawl } from "./changes.ts";
import type { CrawlState } from "./contract.ts";

export interface PauseToggle {
  label: "Pause" | "Resume";
  isBusy: boolean;
  run: () => void;
}

interface Steered {
  crawlId: number;
  state: CrawlState;
  isOwn: boolean;
}

/** Null when there is nothing to pause or resume, or another process runs the crawl. One that nobody runs can be resumed. */
export function usePauseToggle(crawl: Steered | null): PauseToggle | null {
  const pause = usePauseCrawl();
  const resume = useResumeCrawl();
  const toast = useToast();
  if (crawl === null || (!crawl.isOwn && crawl.state !== "paused")) return null;
  const { crawlId, state } = crawl;
  const onError = (error: unknown) => toast.fail(error);
  const isBusy = pause.isPending || resume.isPending;
  if (state === "running") return { label: "Pause", isBusy, run: () => pause.mutate(crawlId, { onError }) };
  if (state === "paused") return { label: "Resume", isBusy, run: () => resume.mutate(crawlId, { onError }) };
  return null;
}
