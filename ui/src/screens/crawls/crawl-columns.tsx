/** The columns of the table of crawls. */
import { Link } from "@tanstack/react-router";
import { Play, Trash2 } from "lucide-react";
import { CrawlStateBadge, RelativeTime } from "../../components/data/labels.tsx";
import "../../components/controls/input.css";
import { IconButton } from "../../components/controls/button.tsx";
import type { Column } from "../../components/data/data-table.tsx";
import type { CrawlInfo } from "../../lib/contract.ts";
import { formatDuration, formatNumber } from "../../lib/format.ts";
import { isResumable } from "../../lib/status.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";

interface Actions {
  chosen: readonly number[];
  onChoose: (id: number) => void;
  onDelete: (crawl: CrawlInfo) => void;
  onResume: (crawl: CrawlInfo) => void;
}

const isWorkedOn = ({ state }: CrawlInfo): boolean =>
  state === "running" || state === "pausing" || state === "stopping";

export const crawlColumns = ({ chosen, onChoose, onDelete, onResume }: Actions): Column<CrawlInfo>[] => [
  {
    id: "choose",
    head: "Compare",
    isHeadHidden: true,
    cell: ({ id }) => (
      <span className="check">
        <input
          type="checkbox"
          aria-label={`Select crawl ${id} to compare`}
          checked={chosen.includes(id)}
          onChange={() => onChoose(id)}
        />
      </span>
    ),
  },
  {
    id: "id",
    head: "Crawl",
    cell: (crawl) => (
      <Link
        to={isWorkedOn(crawl) ? "/crawls/$crawlId/live" : "/crawls/$crawlId"}
        params={{ crawlId: String(crawl.id) }}
      >
        #{crawl.id}
      </Link>
    ),
    sortBy: ({ id }) => id,
  },
  {
    id: "when",
    head: "Started",
    cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
    sortBy: ({ startedAt }) => startedAt,
  },
  {
    id: "state",
    head: "State",
    cell: ({ state, message }) => <CrawlStateBadge state={state} message={message} />,
    sortBy: ({ state }) => state,
  },
  {
    id: "pages",
    head: "Pages",
    isNumber: true,
    cell: ({ pages }) => formatNumber(pages),
    sortBy: ({ pages }) => pages,
  },
  {
    id: "crawled",
    head: "Crawled",
    isNumber: true,
    cell: ({ crawled }) => formatNumber(crawled),
    sortBy: ({ crawled }) => crawled,
  },
  {
    id: "discovered",
    head: "Found",
    isNumber: true,
    cell: ({ discovered }) => formatNumber(discovered),
    sortBy: ({ discovered }) => discovered,
  },
  {
    id: "duration",
    head: "Duration",
    isNumber: true,
    info: "Running time, without pauses.",
    cell: ({ durationMs }) => formatDuration(durationMs),
    sortBy: ({ durationMs }) => durationMs,
  },
  {
    id: "note",
    head: "Note",
    isRest: true,
    cell: ({ message, mode, baselineId }) =>
      [
        unicodeHost(message ?? ""),
        mode === "list" ? "URL list" : null,
        baselineId === null ? null : `changes since #${baselineId}`,
      ]
        .filter(Boolean)
        .join(" · "),
  },
  {
    id: "actions",
    head: "Actions",
    isHeadHidden: true,
    cell: (crawl) => (
      <span className="table-actions">
        {isResumable(crawl.state) && (
          <IconButton label={`Resume crawl ${crawl.id}`} icon={Play} onClick={() => onResume(crawl)} />
        )}
        <IconButton
          label={`Delete crawl ${crawl.id}`}
          icon={Trash2}
          disabled={isWorkedOn(crawl)}
          onClick={() => onDelete(crawl)}
        />
      </span>
    ),
  },
];
