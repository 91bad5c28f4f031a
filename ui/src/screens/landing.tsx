/** A project without further path: its running crawl when there is one, otherwise the overview of its latest. */
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { Page } from "../components/page.tsx";
import { Skeleton } from "../components/states.tsx";
import { useProjectId } from "../lib/place.ts";
import { queries } from "../lib/queries.ts";

export function Landing() {
  const projectId = useProjectId();
  const running = useQuery(queries.activeCrawls());
  const projects = useQuery(queries.projects());
  if (running.isPending || projects.isPending) {
    return (
      <Page title="Project">
        <Skeleton />
      </Page>
    );
  }
  const active = running.data?.find((crawl) => crawl.projectId === projectId);
  if (active !== undefined)
    return <Navigate to="/crawls/$crawlId/live" params={{ crawlId: String(active.crawlId) }} replace />;
  const latest = projects.data?.find(({ id }) => id === projectId)?.latestCrawlId ?? null;
  if (latest !== null) return <Navigate to="/crawls/$crawlId/overview" params={{ crawlId: String(latest) }} replace />;
  return <Navigate to="/projects/$projectId/crawls" params={{ projectId: String(projectId) }} replace />;
}
