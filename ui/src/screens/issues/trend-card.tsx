/** How many findings the last crawls of the project had, by severity. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Histogram } from "../../components/data/bars.tsx";
import { Card } from "../../components/layout/page.tsx";
import { formatDate, formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";

/** As many as fit next to the list. */
const MOST = 8;

/** Nothing for a first crawl: one bar does not make a trend. */
export function TrendCard() {
  const { data } = useQuery(queries.issueTrend(useCrawlId(), MOST));
  if (data === undefined || data.rows.length < 2) return null;
  return (
    <Card title="Trend" info="Findings of the last crawls, by severity: errors at the bottom, notices at the top.">
      <Histogram
        label="Findings of the last crawls"
        height={130}
        bins={data.rows.map(({ crawlId, startedAt, errors, warnings, notices, score }) => ({
          label: `#${crawlId}`,
          value: errors + warnings + notices,
          parts: [
            { tone: "bad", value: errors },
            { tone: "warn", value: warnings },
            { tone: "redirect", value: notices },
          ],
          title: `Crawl #${crawlId}, ${formatDate(startedAt)}: ${formatNumber(errors)} errors, ${formatNumber(warnings)} warnings, ${formatNumber(notices)} notices${score === null ? "" : `, score ${formatNumber(score)}`}`,
          name: (
            <Link to="/crawls/$crawlId/issues" params={{ crawlId: String(crawlId) }} className="plain-link">
              #{crawlId}
            </Link>
          ),
        }))}
      />
    </Card>
  );
}
