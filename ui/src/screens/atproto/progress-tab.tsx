/** How far a crawl is: what is stored, what failed and why, how far sources were read. */
import { useEffect, useRef, useState } from "react";
import { BarList } from "../../components/data/bars.tsx";
import { Stat, StatRow } from "../../components/data/stat.tsx";
import { EmptyState } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import { formatBytes, formatNumber, formatRate, plural } from "../../lib/format.ts";
import { failureLabel, speedBetween } from "./archive-view.ts";
import type { ArchiveStatus } from "./atproto-queries.ts";
import { useView } from "./use-view.ts";

export function ProgressTab({ status, at }: { status: ArchiveStatus; at: number }) {
  const { archive, stored, bytesWritten, hosts, segments, events, failed, sources } = status;
  const speed = useSpeed(stored, at);
  return (
    <div className="stack">
      <StatRow>
        <Stat
          label="Repos stored"
          value={formatNumber(stored)}
          note={archive.isRunning === true && speed !== null ? `${formatRate(speed)} repos per second` : undefined}
          info="Over all crawls of this archive."
        />
        <Stat label="Written" value={formatBytes(bytesWritten)} note={plural(segments.files, "segment")} />
        <Stat
          label="Servers"
          value={hosts === null ? "–" : formatNumber(hosts.known)}
          note={
            hosts === null
              ? "Not recorded in Redis"
              : `${formatNumber(hosts.slowed)} slowed down, ${formatNumber(hosts.leftAlone)} resting`
          }
          info="Requests to a server slow down after five failures in a row, and stop for a while after ten."
        />
        <Stat
          label="Events"
          value={formatBytes(events.bytes)}
          note={events.files === 0 ? "Nothing was followed" : plural(events.files, "segment")}
        />
      </StatRow>
      <div className="main-and-side">
        <FailedCard failed={failed} />
        <SourcesCard sources={sources} isRunning={archive.isRunning === true} />
      </div>
    </div>
  );
}

function FailedCard({ failed }: Pick<ArchiveStatus, "failed">) {
  const [, choose] = useView();
  return (
    <Card title="What failed" info="Repos that could not be stored. Most are tried again by the next crawl.">
      {failed.length === 0 ? (
        <EmptyState title="Nothing failed" />
      ) : (
        <BarList
          bars={failed.map(({ class: name, count, meaning }) => ({
            id: name,
            value: count,
            tone: "warn",
            title: meaning,
            label: (
              <button
                type="button"
                className="atproto-link"
                onClick={() => choose({ tab: "failures", class: name, host: undefined })}
              >
                {failureLabel(name)}
                <span className="muted">{` · ${meaning}`}</span>
              </button>
            ),
          }))}
        />
      )}
    </Card>
  );
}

function SourcesCard({ sources, isRunning }: Pick<ArchiveStatus, "sources"> & { isRunning: boolean }) {
  return (
    <Card
      title="Sources"
      info="How far each was read. A crawl that is complete reads them from the beginning next time."
    >
      {sources.length === 0 ? (
        <EmptyState title={isRunning ? "Nothing has been read yet" : "There is no unfinished crawl"} />
      ) : (
        <ul className="atproto-sources">
          {sources.map(({ source, readUpTo }) => (
            <li key={source}>
              <span className="cut" title={source}>
                {source}
              </span>
              <span className="muted cut">{readUpTo === null ? "Read to the end" : `Up to ${readUpTo}`}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Repos a second since the look before; null when there was none. */
function useSpeed(stored: number, at: number): number | null {
  const before = useRef<{ at: number; stored: number } | null>(null);
  const [speed, setSpeed] = useState<number | null>(null);
  useEffect(() => {
    if (before.current?.at === at) return;
    setSpeed(speedBetween(before.current, { at, stored }));
    before.current = { at, stored };
  }, [at, stored]);
  return speed;
}
