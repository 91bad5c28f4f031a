/** One reason: what it means, how often it decided, and, once opened, by which rules. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import type { Decisions } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { formatNumber, formatShare } from "../../lib/format.ts";
import { reasonLabel } from "../../lib/live-figures.ts";
import { usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { settingLabel } from "../../lib/setting-control.ts";
import { RuleList } from "./rule-list.tsx";

export type ReasonCount = Decisions["reasons"][number];

export function ReasonRow({ reason, total, most }: { reason: ReasonCount; total: number; most: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="reason" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="reason-head">
        <ChevronRight size={15} className="reason-arrow" aria-hidden />
        <span className="reason-words">
          <span className="reason-name">{reasonLabel(reason.reason)}</span>
          <span className="muted">{reason.meaning}</span>
        </span>
        <span className="reason-bar" aria-hidden>
          <span style={{ width: `${(reason.count / most) * 100}%` }} />
        </span>
        <span className="reason-count">{formatNumber(reason.count)}</span>
        <span className="reason-share muted">{formatShare(reason.count, total)}</span>
      </summary>
      {isOpen && (
        <div className="reason-body">
          <div className="row-apart">
            <SettingNote name={reason.setting} />
            <ExplorerLink filter={crawlFilters.reason(reason.reason)}>
              {`Show all ${formatNumber(reason.count)} in the Explorer`}
            </ExplorerLink>
          </div>
          <RuleList reason={reason.reason} />
        </div>
      )}
    </details>
  );
}

function SettingNote({ name }: { name: string | null }) {
  const { projectId } = usePlace();
  const settings = useQuery(queries.settings()).data ?? [];
  if (name === null || projectId === null) return <span className="muted">No setting changes this.</span>;
  return (
    <span>
      Decided by the setting{" "}
      <Link to="/projects/$projectId/settings" params={{ projectId: String(projectId) }} search={{ find: name }}>
        {settingLabel(settings, name)}
      </Link>
    </span>
  );
}
