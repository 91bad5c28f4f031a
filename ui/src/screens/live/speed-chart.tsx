/** URLs and errors a second, over the last ten minutes. */
import { Card } from "../../components/card.tsx";
import { LineChart } from "../../components/line-chart.tsx";
import { EmptyState } from "../../components/states.tsx";
import type { LiveCrawl } from "../../lib/contract.ts";
import { formatRate } from "../../lib/format.ts";

export function SpeedChart({ series }: { series: LiveCrawl["series"] }) {
  return (
    <Card title="Speed" info="URLs finished a second, over the last ten minutes.">
      {series.length > 1 ? (
        <LineChart
          label="URLs and errors a second"
          times={series.map(({ at }) => at / 1000)}
          lines={[
            { label: "URLs", color: "--accent", isArea: true, values: series.map((sample) => sample.pagesPerSecond) },
            { label: "Errors", color: "--bad", values: series.map((sample) => sample.errorsPerSecond) },
          ]}
          format={formatRate}
        />
      ) : (
        <EmptyState title="No speed to show yet">
          The chart begins with the second sample. Of a crawl that another process runs, there is none.
        </EmptyState>
      )}
    </Card>
  );
}
