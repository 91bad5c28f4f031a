/** The worst issues on the overview, with the score and the way to all of them. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BarList } from "../../components/data/bars.tsx";
import { Card } from "../../components/layout/page.tsx";
import { formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { severityWords } from "../../lib/words.ts";
import { SEVERITY_ORDER } from "../issues/issue-lists.ts";

const SHOWN = 6;

/** Nothing while a crawl is not audited: the screen is about other things then. */
export function IssuesCard() {
  const crawlId = String(useCrawlId());
  const { data } = useQuery(queries.issues(Number(crawlId)));
  if (data === undefined || data.auditedAt === null) return null;
  const { score, formula, rows: issues, counts } = data;
  return (
    <Card
      title="Issues"
      info="What the audit found, worst first. The bars count URLs."
      actions={
        <Link to="/crawls/$crawlId/issues" params={{ crawlId }}>
          All issues
        </Link>
      }
    >
      <div className="overview-issues">
        <div className="stack-tight">
          {score !== null && (
            <p title={formula}>
              Score <strong className="overview-score">{formatNumber(score)}</strong>{" "}
              <span className="muted">of 100</span>
            </p>
          )}
          {SEVERITY_ORDER.map((severity) => {
            const { plural, tone, glyph } = severityWords(severity);
            return (
              <Link
                key={severity}
                to="/crawls/$crawlId/issues"
                params={{ crawlId }}
                search={{ severity }}
                className={`plain-link change-figure tone-${tone}`}
              >
                <span className="change-sign" aria-hidden>
                  {glyph}
                </span>
                <strong>{formatNumber(counts[severity])}</strong> {plural.toLowerCase()}
              </Link>
            );
          })}
        </div>
        {issues.length === 0 ? (
          <p className="overview-none">No check found anything.</p>
        ) : (
          <BarList
            bars={issues.slice(0, SHOWN).map(({ rule, name, found, severity }) => ({
              id: rule,
              label: (
                <Link to="/crawls/$crawlId/issue" params={{ crawlId }} search={{ rule }} className="plain-link">
                  {name}
                </Link>
              ),
              value: found,
              tone: severityWords(severity).tone,
            }))}
          />
        )}
      </div>
    </Card>
  );
}
