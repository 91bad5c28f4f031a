/** What comes before a screen: the project or crawl must exist; a project alone opens its crawl; anything else is not found. */
import { useQuery } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, Navigate, Outlet, useSearch } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { lazy, Suspense } from "react";
import { OwnOriginProvider } from "../components/data/links.tsx";
import { EmptyState, ErrorState, Skeleton } from "../components/feedback/states.tsx";
import { Page } from "../components/layout/page.tsx";
import { ApiError } from "../lib/api.ts";
import { useCrawlId, useProjectId } from "../lib/place.ts";
import { queries } from "../lib/queries.ts";
import { urlParts } from "../lib/web-link.ts";
import { RowStepsProvider } from "./url-drawer/inspect.tsx";

const UrlDrawer = lazy(async () => ({ default: (await import("./url-drawer/url-drawer.tsx")).UrlDrawer }));

export function ProjectScope() {
  const id = useProjectId();
  const projects = useQuery(queries.projects());
  const isLost = projects.data !== undefined && !projects.data.some((project) => project.id === id);
  // A crawl that just started may have created the project: wait while the list is refetched.
  return isLost && !projects.isFetching ? <NotFound /> : <Outlet />;
}

export function CrawlScope() {
  const { data, error, refetch } = useQuery(queries.crawl(useCrawlId()));
  const { inspect } = useSearch({ strict: false });
  if (!(error instanceof ApiError) || error.isOffline) {
    return (
      <OwnOriginProvider value={data === undefined ? null : urlParts(data.url).origin}>
        <RowStepsProvider>
          <Outlet />
          <Suspense>{inspect !== undefined && <UrlDrawer url={inspect} />}</Suspense>
        </RowStepsProvider>
      </OwnOriginProvider>
    );
  }
  return (
    <Page title="Crawl">
      <ErrorState error={error} onRetry={() => void refetch()} />
    </Page>
  );
}

/** A project without a screen: opens its running crawl, or else the overview of its latest one. */
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

export function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState icon={Compass} title="This page does not exist" action={<Link to="/">Go to the start screen</Link>}>
        The address may be mistyped, or what it pointed to was deleted.
      </EmptyState>
    </Page>
  );
}

export function ScreenError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This screen could not be shown">
      <ErrorState error={error} onRetry={reset} />
    </Page>
  );
}
