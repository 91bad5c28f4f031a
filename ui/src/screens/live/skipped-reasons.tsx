/** What was found and not crawled, by reason. */
import { BarList } from "../../components/bar-list.tsx";
import { Card } from "../../components/card.tsx";
import type { LiveCrawl } from "../../lib/contract.ts";
import { reasonLabel } from "../../lib/live-figures.ts";

/** The rest is on the screen of decisions. */
const SHOWN = 10;

export function SkippedReasons({ reasons, discovered }: { reasons: LiveCrawl["reasons"]; discovered: number }) {
  return (
    <Card
      title="Not crawled, by reason"
      info="Every URL that was found has one verdict. These are the ones that were skipped or only noted."
    >
      {reasons.length === 0 ? (
        <p className="muted">So far every URL that was found is crawled.</p>
      ) : (
        <BarList
          whole={discovered}
          bars={reasons
            .slice(0, SHOWN)
            .map(({ value, count }) => ({ id: value, label: reasonLabel(value), value: count, tone: "quiet" }))}
        />
      )}
    </Card>
  );
}
