/** Which crawl of the project is shown, and the way to the same screen of another. */
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { CrawlStateBadge } from "../components/badge.tsx";
import { Menu } from "../components/menu.tsx";
import { formatDateTime, plural } from "../lib/format.ts";
import { usePlace } from "../lib/place.ts";
import { queries } from "../lib/queries.ts";

/** Older ones are on the project's list of crawls. */
const LISTED = 15;

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
        items={crawls.slice(0, LISTED).map(({ id, crawlDateTime, pagesCrawled }) => ({
          id: String(id),
          label: `#${id} · ${formatDateTime(crawlDateTime)}`,
          hint: plural(pagesCrawled, "URL"),
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
