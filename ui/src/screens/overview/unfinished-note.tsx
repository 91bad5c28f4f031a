/** Says that the figures are not the last ones, while a crawl runs or rests. */
import { Link } from "@tanstack/react-router";
import { Note } from "../../components/note.tsx";
import type { CrawlInfo } from "../../lib/contract.ts";

export function UnfinishedNote({ crawl: { id, state, message } }: { crawl: CrawlInfo }) {
  if (state === "completed") return null;
  const live = (
    <Link to="/crawls/$crawlId/live" params={{ crawlId: String(id) }}>
      {state === "paused" ? "Go on with it" : "Watch it live"}
    </Link>
  );
  if (state === "failed") {
    return (
      <Note tone="bad">{`This crawl failed${message === null ? "." : `: ${message}.`} The figures are of what was crawled before.`}</Note>
    );
  }
  return (
    <Note tone={state === "paused" ? "warn" : "accent"}>
      {state === "paused"
        ? "This crawl is paused: the figures are of what was crawled so far. "
        : "This crawl is under way: the figures grow every few seconds. "}
      {live}
    </Note>
  );
}
