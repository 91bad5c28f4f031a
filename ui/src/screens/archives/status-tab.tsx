/** What an archive holds and what waits, which hosts rest and why, and how its run goes. */
import { useQuery } from "@tanstack/react-query";
import { BarList } from "../../components/data/bars.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { RelativeTime } from "../../components/data/labels.tsx";
import { Stat, StatRow } from "../../components/data/stat.tsx";
import { EmptyState, Loaded, Note } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import { formatDateTime, formatNumber, plural } from "../../lib/format.ts";
import { statusClassOf, statusText } from "../../lib/status.ts";
import {
  type Archive,
  type ArchiveRun,
  type ArchiveStatus,
  archiveQueries,
  type RestingHost,
} from "./archive-queries.ts";
import { pauseText, refusalLabel } from "./archive-view.ts";
import { useView } from "./use-view.ts";

export function StatusTab({ archive }: { archive: Archive }) {
  const status = useQuery(archiveQueries.status(archive.id));
  return (
    <div className="stack">
      <RunNotes archive={archive} />
      <Loaded query={status}>{(data) => <Holdings archive={archive} status={data} />}</Loaded>
      {archive.run !== null && archive.run.notices.length > 0 && <Notices run={archive.run} />}
    </div>
  );
}

/** Sentences about the run: why it waits, or how it ended. */
function RunNotes({ archive: { isRunning, isPauseAsked, run } }: { archive: Archive }) {
  const outcome = run?.outcome ?? null;
  return (
    <>
      {isRunning && run?.state === "paused" && <Note tone="warn">The run is paused: {pauseText(run.pauses)}.</Note>}
      {isPauseAsked && run?.state !== "paused" && (
        <Note tone="warn">
          {isRunning
            ? "The run has been asked to pause."
            : "A pause file is in the workspace: the next run would pause at once."}
        </Note>
      )}
      {isRunning && run?.state !== "running" && run?.state !== "paused" && (
        <Note>Another process runs this archive. Its counts here follow a few seconds later.</Note>
      )}
      {!isRunning && outcome?.message != null && <Note tone="bad">{outcome.message}</Note>}
      {!isRunning && outcome !== null && outcome.parkedHosts.length > 0 && (
        <Note tone="warn">
          {outcome.parkedHosts.join(", ")} did not answer. Pages there stay queued: the next run requests them.
        </Note>
      )}
    </>
  );
}

function Holdings({ archive: { run, isRunning }, status }: { archive: Archive; status: ArchiveStatus }) {
  const live = isRunning ? run : null;
  return (
    <>
      <StatRow>
        <Stat
          label="Stored pages"
          value={formatNumber(status.storedPages)}
          note={status.requisites > 0 ? `plus ${plural(status.requisites, "requisite")}` : undefined}
          info="Pages with the same bytes are stored once."
        />
        <Stat
          label="Fetched"
          value={formatNumber(status.fetched)}
          note={live === null ? undefined : `${formatNumber(live.fetched)} by this run, ${live.inFlight} under way`}
          info="URLs that were fetched, whatever the answer."
        />
        <Stat label="Waiting" value={formatNumber(live?.open ?? status.waiting)} />
        <Stat
          label="Refused"
          value={formatNumber(status.refused)}
          info="URLs that the policy, robots.txt or a cap excludes. They are considered again when that changes."
        />
        <Stat
          label="Last fetch"
          value={status.lastFetchAt === null ? "Never" : <RelativeTime at={status.lastFetchAt} />}
        />
      </StatRow>
      {status.damagedLines > 0 && (
        <Note tone="bad">
          {plural(status.damagedLines, "line")} of the metadata cannot be read. The tab Verify says more.
        </Note>
      )}
      {status.spool.isFull && (
        <Note tone="warn">The spool is full: the run waits until trawl archive scrape has made room.</Note>
      )}
      <RestingCard hosts={live?.resting ?? status.resting} />
      <div className="cards archive-cards">
        <StatusesCard status={status} />
        <TypesCard status={status} />
        <RefusedCard status={status} />
      </div>
    </>
  );
}

function RestingCard({ hosts }: { hosts: readonly RestingHost[] }) {
  if (hosts.length === 0) return null;
  return (
    <Card isFlush title={`${plural(hosts.length, "host")} resting`} info="Nothing is lost: their pages wait.">
      <DataTable caption="Hosts that rest" columns={RESTING} rows={hosts} rowKey={({ host }) => host} />
    </Card>
  );
}

const RESTING: readonly Column<RestingHost>[] = [
  { id: "host", head: "Host", cell: ({ host }) => host },
  {
    id: "until",
    head: "Until",
    cell: ({ until }) =>
      until === null ? (
        "The next run"
      ) : (
        <span>
          {formatDateTime(until)} (<RelativeTime at={until} />)
        </span>
      ),
  },
  { id: "why", head: "Why", isRest: true, cell: ({ why }) => <span title={why}>{why}</span> },
];

const counted = (counts: Readonly<Record<string, number>>): [name: string, count: number][] =>
  Object.entries(counts).sort(([, a], [, b]) => b - a);

function StatusesCard({ status: { byStatus } }: { status: ArchiveStatus }) {
  const [, choose] = useView();
  const bars = counted(byStatus).map(([code, value]) => ({
    id: code,
    value,
    tone: statusClassOf(Number(code)).tone,
    label: (
      <PagesLink onOpen={() => choose({ tab: "pages", status: code, type: undefined, match: undefined })}>
        {code === "0" ? "No answer" : statusText(Number(code))}
      </PagesLink>
    ),
  }));
  return <Counts title="Answers" info="Over all fetches, so a refreshed page counts more than once." bars={bars} />;
}

function TypesCard({ status: { byPageType } }: { status: ArchiveStatus }) {
  const [, choose] = useView();
  const bars = counted(byPageType).map(([type, value]) => ({
    id: type,
    value,
    label: (
      <PagesLink onOpen={() => choose({ tab: "pages", type, status: undefined, match: undefined })}>{type}</PagesLink>
    ),
  }));
  return <Counts title="Page types" bars={bars} />;
}

function RefusedCard({ status: { refusedByReason } }: { status: ArchiveStatus }) {
  const bars = counted(refusedByReason).map(([reason, value]) => ({
    id: reason,
    value,
    tone: "quiet" as const,
    label: refusalLabel(reason),
  }));
  return <Counts title="Why URLs were refused" bars={bars} />;
}

function Counts({ title, info, bars }: { title: string; info?: string; bars: Parameters<typeof BarList>[0]["bars"] }) {
  return (
    <Card title={title} info={info}>
      {bars.length === 0 ? <EmptyState title="None yet" /> : <BarList bars={bars} />}
    </Card>
  );
}

function PagesLink({ onOpen, children }: { onOpen: () => void; children: string }) {
  return (
    <button type="button" className="archive-link" onClick={onOpen}>
      {children}
    </button>
  );
}

function Notices({ run }: { run: ArchiveRun }) {
  return (
    <Card title="Messages of the run" info="Newest last; the full log is logs/crawler.log in the workspace.">
      <ol className="archive-notices">
        {run.notices.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same notice may come twice.
          <li key={at}>{text}</li>
        ))}
      </ol>
    </Card>
  );
}
