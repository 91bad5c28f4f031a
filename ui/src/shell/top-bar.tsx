/** The top bar: where one is, what runs, search, and a new crawl. */
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus, Search } from "lucide-react";
import { Button, IconButton } from "../components/button.tsx";
import { Kbd } from "../components/kbd.tsx";
import { usePlace } from "../lib/place.ts";
import { CrawlSwitcher } from "./crawl-switcher.tsx";
import { ProjectSwitcher } from "./project-switcher.tsx";
import { RunningCrawls } from "./running-crawls.tsx";
import "./top-bar.css";

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
            {project.domain}
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
