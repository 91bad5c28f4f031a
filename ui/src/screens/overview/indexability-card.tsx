/** Which pages a search engine may list, and why not the others. */
import { BarList } from "../../components/bar-list.tsx";
import { Card } from "../../components/card.tsx";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import { StackedBar } from "../../components/stacked-bar.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { reasonLabel } from "../../lib/live-figures.ts";
import type { Tone } from "../../lib/status.ts";
import { countOf } from "./overview-counts.ts";

const ANSWERS = [
  { value: "Yes", label: "Indexable", tone: "ok", glyph: "●" },
  { value: "No", label: "Not indexable", tone: "warn", glyph: "▲" },
  { value: "-", label: "No page", tone: "quiet", glyph: "○" },
] as const satisfies { value: string; label: string; tone: Tone; glyph: string }[];

export function IndexabilityCard({ overview: { indexable, indexability } }: { overview: Overview }) {
  return (
    <Card
      title="Indexability"
      info="Whether a search engine may list a URL, by its status, canonical and robots directives. Images, scripts and other files are no pages."
      className="overview-third"
    >
      <div className="stack">
        <StackedBar
          label="Indexable or not"
          parts={ANSWERS.map(({ value, ...part }) => ({
            ...part,
            id: value,
            value: countOf(indexable, value),
            name: (
              <ExplorerLink isPlain filter={crawlFilters.indexable(value)}>
                {part.label}
              </ExplorerLink>
            ),
          }))}
        />
        {indexability.length === 0 ? (
          <p className="overview-none">Nothing keeps a page from being listed.</p>
        ) : (
          <BarList
            bars={indexability.map(({ value, count }) => ({
              id: String(value),
              label: (
                <ExplorerLink isPlain filter={crawlFilters.indexability(String(value))}>
                  {reasonLabel(String(value))}
                </ExplorerLink>
              ),
              value: count,
              tone: "warn",
            }))}
          />
        )}
      </div>
    </Card>
  );
}
