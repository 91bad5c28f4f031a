/** The next five times of the expression, as it is being typed. */
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Card } from "../../components/card.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { RelativeTime } from "../../components/time.tsx";
import type { CronPreview } from "../../lib/contract.ts";
import { useRested } from "../../lib/debounce.ts";
import { formatDateTime, formatDateTimeIn } from "../../lib/format.ts";
import { queries } from "../../lib/queries.ts";

export function useCronPreview(cron: string, timezone: string): UseQueryResult<CronPreview> {
  const asked = useRested(cron.trim());
  const zone = useRested(timezone.trim());
  return useQuery({ ...queries.cronPreview(asked, zone === "" ? null : zone), enabled: asked !== "" });
}

interface NextRunsProps {
  preview: UseQueryResult<CronPreview>;
  timezone: string;
  isEnabled: boolean;
}

export function NextRuns({ preview, timezone, isEnabled }: NextRunsProps) {
  const zone = timezone.trim();
  return (
    <Card
      title="The next five"
      info="Before the random wait. By the clocks of the time zone that was chosen, otherwise of this browser."
    >
      <Loaded query={preview} skeleton={<Skeleton lines={5} />}>
        {({ isValid, nextRuns }) => {
          if (!isValid) return <p className="muted">They appear once the expression and the time zone are right.</p>;
          if (nextRuns.length === 0) return <p className="muted">No time to come matches.</p>;
          return (
            <div className="stack-tight">
              <ol className="next-runs">
                {nextRuns.map((at) => (
                  <li key={at}>
                    <span>{zone === "" ? formatDateTime(at) : formatDateTimeIn(at, zone)}</span>
                    <span className="muted">
                      <RelativeTime at={at} />
                    </span>
                  </li>
                ))}
              </ol>
              {zone !== "" && <p className="muted">{`By the clocks of ${zone}.`}</p>}
              {!isEnabled && <p className="muted">Switched off: none of these starts.</p>}
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}
