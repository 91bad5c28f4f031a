/** The top bar: where you are, what is running, search, and a new crawl. */

import { Link, useNavigate } from "@tanstack/react-router";
import { Plus, Search } from "lucide-react";
import { Button, IconButton } from "../components/controls/button.tsx";
import { Kbd } from "../components/data/labels.tsx";
import { usePlace } from "../lib/place.ts";
import { unicodeHost } from "../lib/unicode-host.ts";
import { CrawlSwitcher, ProjectSwitcher } from "./switchers.tsx";
import "./top-bar.css";
import { useQuery } from "@tanstack/react-query";
import { Menu } from "../components/controls/menu.tsx";
import { formatCompact, formatRate } from "../lib/format.ts";
import { queries } from "../lib/queries.ts";

export function TopBar({ onSearch }: { onSearch: () => void }) {
  const { project, projectId } = usePlace();
  const navigate = useNavigate();
  return (
    <header className="top-bar">
      <Link to="/" className="top-mark" aria-label="Trawl, start">
        <img src="/icon.svg" alt="" width={24} height={24} />
      </Link>
      <div className="top-place">
        <span className="top-switcher">
          <ProjectSwitcher />
        </span>
        {project !== null && projectId !== null && (
          <Link to="/projects/$projectId/crawls" params={{ projectId: String(projectId) }} className="top-domain cut">
            {unicodeHost(project.domain)}
          </Link>
        )}
        <CrawlSwitcher />
      </div>
      <RunningCrawls />
      <button type="button" className="top-search" onClick={onSearch}>
        <Search size={15} aria-hidden />
        <span>Search or jump to</span>
        <Kbd keys="mod+k" />
      </button>
      <span className="top-search-icon">
        <IconButton label="Search or jump to" icon={Search} onClick={onSearch} />
      </span>
      <Button look="primary" icon={Plus} className="top-new" onClick={() => void navigate({ to: "/new" })}>
        <span>New crawl</span>
      </Button>
    </header>
  );
}

/** On every screen: how many crawls are running, how fast, and links to them. */
export function RunningCrawls() {
  const crawls = (useQuery(queries.activeCrawls()).data ?? []).filter(({ state }) => state !== "paused");
  const navigate = useNavigate();
  if (crawls.length === 0) return null;
  const speed = crawls.reduce((sum, { urlsPerSecond }) => sum + urlsPerSecond, 0);
  return (
    <Menu
      label={`${crawls.length} running`}
      look="quiet"
      placement="below-end"
      className="running"
      items={crawls.map(({ crawlId, domain, crawled, open }) => ({
        id: String(crawlId),
        label: unicodeHost(domain),
        hint: `${formatCompact(crawled)} of ${formatCompact(crawled + open)}`,
        onSelect: () => void navigate({ to: "/crawls/$crawlId/live", params: { crawlId: String(crawlId) } }),
      }))}
    >
      <span className="running-dot badge-pulse" aria-hidden />
      {crawls.length} <span className="running-word">running</span>
      <span className="muted running-speed">{formatRate(speed)}</span>
    </Menu>
  );
}
