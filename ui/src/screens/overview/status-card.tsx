/** Answers by class of status, and each status by itself. */
import { BarList } from "../../components/bar-list.tsx";
import { Card } from "../../components/card.tsx";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import { StackedBar } from "../../components/stacked-bar.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { reasonLabel, statusShares } from "../../lib/live-figures.ts";
import { classNamed, statusClassOf } from "../../lib/status.ts";
import { statusText } from "../../lib/status-text.ts";
import { totalOf } from "./overview-counts.ts";

const SHOWN = 8;

export function StatusCard({ overview: { statuses, errors } }: { overview: Overview }) {
  const noAnswer = totalOf(errors);
  const parts = statusShares(
    statuses.map(({ value, count }) => ({ value: Number(value), count })),
    noAnswer,
  ).map((part) => ({
    ...part,
    name: (
      <ExplorerLink isPlain filter={crawlFilters.statusClass(part.id)}>
        {part.label}
      </ExplorerLink>
    ),
  }));
  const bars = [
    ...statuses.map(({ value, count }) => ({
      id: String(value),
      label: (
        <ExplorerLink isPlain filter={crawlFilters.status(Number(value))}>
          {statusText(Number(value))}
        </ExplorerLink>
      ),
      value: count,
      tone: statusClassOf(Number(value)).tone,
    })),
    ...errors.map(({ value, count }) => ({
      id: String(value),
      label: (
        <ExplorerLink isPlain filter={crawlFilters.error(String(value))}>
          {reasonLabel(String(value))}
        </ExplorerLink>
      ),
      value: count,
      tone: classNamed("error").tone,
    })),
  ].toSorted((left, right) => right.value - left.value);
  return (
    <Card title="Statuses" className="overview-half">
      <div className="stack">
        <StackedBar label="Answers by class of status" parts={parts} />
        <BarList bars={bars.slice(0, SHOWN)} whole={totalOf(statuses) + noAnswer} />
      </div>
    </Card>
  );
}
