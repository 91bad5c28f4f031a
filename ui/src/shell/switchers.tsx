/** Which project and which crawl you are looking at, and the way to another. */

import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { ChevronDown, ChevronsUpDown, House, Plus } from "lucide-react";
import { Menu } from "../components/controls/menu.tsx";
import { CrawlStateBadge, SiteIcon } from "../components/data/labels.tsx";
import { formatDateTime, plural } from "../lib/format.ts";
import { usePlace } from "../lib/place.ts";
import { queries } from "../lib/queries.ts";
import { unicodeHost } from "../lib/unicode-host.ts";

/** The rest are on the start screen and in the palette. */
const LISTED_PROJECTS = 12;

/** The current project, and a menu of the others. */
export function ProjectSwitcher() {
  const { project } = usePlace();
  const projects = useQuery(queries.projects()).data ?? [];
  const navigate = useNavigate();
  return (
    <Menu
      label="Switch project"
      look="quiet"
      className="project-switcher"
      items={[
        ...projects.slice(0, LISTED_PROJECTS).map(({ id, domain }) => ({
          id: String(id),
          label: unicodeHost(domain),
          isChosen: id === project?.id,
          onSelect: () => void navigate({ to: "/projects/$projectId", params: { projectId: String(id) } }),
        })),
        {
          id: "all",
          label: "All projects",
          icon: House,
          isApart: projects.length > 0,
          onSelect: () => void navigate({ to: "/" }),
        },
        { id: "new", label: "New crawl", icon: Plus, onSelect: () => void navigate({ to: "/new" }) },
      ]}
    >
      {project === null ? (
        <span className="cut grow">All projects</span>
      ) : (
        <>
          <SiteIcon domain={project.domain} path={project.faviconPath} size={18} />
          <span className="cut grow">{unicodeHost(project.domain)}</span>
        </>
      )}
      <ChevronsUpDown size={14} aria-hidden />
    </Menu>
  );
}

/** Older ones are on the project's list of crawls. */
const LISTED_CRAWLS = 15;

/** The current crawl, and a menu that opens the same screen of another. */
export function CrawlSwitcher() {
  const { crawl, projectId } = usePlace();
  const crawls = useQuery({ ...queries.projectCrawls(projectId ?? 0), enabled: projectId !== null }).data ?? [];
  const { pathname } = useLocation();
  const navigate = useNavigate();
  if (crawl === null) return null;
  const sameScreen = (id: number) => pathname.replace(/^\/crawls\/\d+/, `/crawls/${id}`);
  return (
    <>
      <Menu
        label={`Crawl ${crawl.id}, choose another`}
        look="quiet"
        items={crawls.slice(0, LISTED_CRAWLS).map(({ id, startedAt, pages }) => ({
          id: String(id),
          label: `#${id} · ${formatDateTime(startedAt)}`,
          hint: plural(pages, "page"),
          isChosen: id === crawl.id,
          onSelect: () => void navigate({ to: sameScreen(id) }),
        }))}
      >
        <span className="crawl-word">Crawl</span> #{crawl.id}
        <ChevronDown size={14} aria-hidden />
      </Menu>
      <CrawlStateBadge state={crawl.state} message={crawl.message} />
    </>
  );
}
