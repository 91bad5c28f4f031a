/** A project on the start screen: the site, its last crawl, and what is running. */
import { Link, useNavigate } from "@tanstack/react-router";
import { EllipsisVertical, History, RotateCw, SlidersHorizontal, Trash2 } from "lucide-react";
import { useState } from "react";
import { Menu } from "../../components/controls/menu.tsx";
import { ProgressBar } from "../../components/data/bars.tsx";
import { CrawlStateBadge, RelativeTime, SiteIcon } from "../../components/data/labels.tsx";
import { Confirm } from "../../components/feedback/dialog.tsx";
import { useDeleteProject } from "../../lib/changes.ts";
import type { CrawlProgress, Project } from "../../lib/contract.ts";
import { formatDuration, formatNumber, formatRate, plural } from "../../lib/format.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { sparkPoints } from "./spark-points.ts";
import "./start-screen.css";

export function ProjectCard({ project, active }: { project: Project; active: CrawlProgress | null }) {
  const { id, domain, faviconPath, latestState, history } = project;
  const state = active?.state ?? latestState;
  return (
    <li className="project-card" data-row>
      <div className="project-head">
        <SiteIcon domain={domain} path={faviconPath} size={28} />
        <Link to="/projects/$projectId" params={{ projectId: String(id) }} className="project-name cut">
          {unicodeHost(domain)}
        </Link>
        <ProjectMenu project={project} isActive={active !== null} />
      </div>
      {active !== null && active.state !== "paused" ? <Running active={active} /> : <LastCrawl project={project} />}
      <div className="project-history">
        <span className="project-state">
          {state !== null && <CrawlStateBadge state={state} />}
          <span className="muted">{plural(project.crawls, "crawl")}</span>
        </span>
        <Sparkline
          values={history.map(({ pages }) => pages)}
          label={`Pages in the last ${plural(history.length, "crawl")}`}
        />
      </div>
    </li>
  );
}

function Running({ active: { crawled, open, urlsPerSecond, errors, share } }: { active: CrawlProgress }) {
  return (
    <div className="stack-tight project-figures">
      <p>
        <strong>{formatNumber(crawled)}</strong> crawled <span className="muted">· {formatNumber(open)} queued</span>
      </p>
      <ProgressBar value={share} max={1} label="Crawled, out of URLs to crawl" />
      <p className="muted">
        {formatRate(urlsPerSecond)}
        {errors > 0 && ` · ${plural(errors, "error")}`}
      </p>
    </div>
  );
}

function LastCrawl({ project: { startedAt, durationMs, pages } }: { project: Project }) {
  if (startedAt === null) return <p className="muted project-figures">Never crawled.</p>;
  return (
    <div className="project-figures">
      <p>
        <strong>{formatNumber(pages)}</strong> {pages === 1 ? "page" : "pages"}
      </p>
      <p className="muted">
        <RelativeTime at={startedAt} /> · took {formatDuration(durationMs)}
      </p>
    </div>
  );
}

function ProjectMenu({
  project: { id, domain, url, crawls, latestCrawlId },
  isActive,
}: {
  project: Project;
  isActive: boolean;
}) {
  const [isDeleting, setDeleting] = useState(false);
  const name = unicodeHost(domain);
  const remove = useDeleteProject();
  const navigate = useNavigate();
  const projectId = String(id);
  const crawlAgain = () =>
    void navigate({ to: "/new", search: latestCrawlId === null ? { url } : { from: latestCrawlId } });
  return (
    <>
      <Menu
        label={`Actions for ${name}`}
        icon={EllipsisVertical}
        isIconOnly
        placement="below-end"
        className="project-menu"
        items={[
          { id: "again", label: "Crawl again…", icon: RotateCw, isDisabled: isActive, onSelect: crawlAgain },
          {
            id: "crawls",
            label: "Crawls",
            icon: History,
            onSelect: () => void navigate({ to: "/projects/$projectId/crawls", params: { projectId } }),
          },
          {
            id: "settings",
            label: "Settings",
            icon: SlidersHorizontal,
            onSelect: () => void navigate({ to: "/projects/$projectId/settings", params: { projectId } }),
          },
          {
            id: "delete",
            label: "Delete…",
            icon: Trash2,
            isDanger: true,
            isDisabled: isActive,
            isApart: true,
            onSelect: () => setDeleting(true),
          },
        ]}
      />
      {isDeleting && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete project"
          typed={crawls > 1 ? name : undefined}
          onConfirm={() => remove.mutateAsync(id)}
          onClose={() => setDeleting(false)}
        >
          <p>
            This deletes {plural(crawls, "crawl")} of this project with all data, its settings and its schedule from
            this machine. It cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}

export interface SparklineProps {
  values: readonly number[];
  label: string;
  width?: number;
  height?: number;
}

/** A line without axes: how a number changed. */
export function Sparkline({ values, label, width = 96, height = 28 }: SparklineProps) {
  const points = sparkPoints(values, width, height);
  const last = points.at(-1);
  // One crawl has not changed anything yet.
  if (points.length < 2 || last === undefined) return null;
  const line = points.map(([x, y]) => `${x},${y}`).join(" ");
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <polygon points={`${points[0]![0]},${height} ${line} ${last[0]},${height}`} />
      <polyline points={line} />
      <circle cx={last[0]} cy={last[1]} r={2.2} />
    </svg>
  );
}
