/** Seen on every screen: how many crawls run, how fast, and the way to each of them. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Menu } from "../components/menu.tsx";
import { formatCompact, formatRate } from "../lib/format.ts";
import { queries } from "../lib/queries.ts";

export function RunningCrawls() {
  const crawls = (useQuery(queries.activeCrawls()).data ?? []).filter(({ state }) => state !== "paused");
  const navigate = useNavigate();
  if (crawls.length === 0) return null;
  const speed = crawls.reduce((sum, { pagesPerSecond }) => sum + pagesPerSecond, 0);
  return (
    <Menu
      label={`${crawls.length} running`}
      look="quiet"
      placement="below-end"
      className="running"
      items={crawls.map(({ crawlId, domain, pagesCrawled, open }) => ({
        id: String(crawlId),
        label: domain,
        hint: `${formatCompact(pagesCrawled)} of ${formatCompact(pagesCrawled + open)}`,
        onSelect: () => void navigate({ to: "/crawls/$crawlId/live", params: { crawlId: String(crawlId) } }),
      }))}
    >
      <span className="running-dot badge-pulse" aria-hidden />
      {crawls.length} <span className="running-word">running</span>
      <span className="muted running-speed">{formatRate(speed)}</span>
    </Menu>
  );
}
