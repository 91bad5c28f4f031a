/** Shapes of URLs that multiply without end, where the crawl stopped going along. */
import { BarList } from "../../components/bar-list.tsx";
import { Card } from "../../components/card.tsx";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import type { Overview } from "../../lib/contract.ts";

export function TrapsCard({ traps }: { traps: Overview["traps"] }) {
  return (
    <Card
      title="Traps"
      info="URLs of one shape, or that differ only in their query, beyond the limit that was set. Bars count what was left out."
      className="overview-half"
    >
      {traps.length === 0 ? (
        <p className="overview-none">No shape of URLs reached its limit.</p>
      ) : (
        <BarList
          bars={traps.map(({ value, count }) => ({
            id: String(value),
            label: (
              <ExplorerLink isPlain filter={[`rule=${value}`]}>
                {shapeOf(String(value))}
              </ExplorerLink>
            ),
            value: count,
            tone: "quiet",
            title: String(value),
          }))}
        />
      )}
    </Card>
  );
}

/** Of `maxUrlsPerPattern 10000: https://host/calendar/N`, what people look for. */
const shapeOf = (rule: string): string => rule.replace(/^.*?: [a-z]+:\/\/[^/]*/, "") || rule;
