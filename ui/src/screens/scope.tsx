/** What comes before a screen: the project or crawl must exist; a project alone opens its crawl; anything else is not found. */
import { useQuery } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, Navigate, Outlet, useSearch } from "@tanstack/react-router";
import { Compass, PlugZap } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { Button } from "../components/controls/button.tsx";
import { OwnOriginProvider } from "../components/data/links.tsx";
import { EmptyState, ErrorState, Skeleton } from "../components/feedback/states.tsx";
import { Page } from "../components/layout/page.tsx";
import { ApiError, OFFLINE } from "../lib/api.ts";
import type { CrawlState } from "../lib/contract.ts";
import { POLL_MS } from "../lib/news-stream.ts";
import { useCrawlId, useProjectId } from "../lib/place.ts";
import { queries } from "../lib/queries.ts";
import { isFinished } from "../lib/status.ts";
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
  const id = useCrawlId();
  const { data, error, refetch } = useQuery({ ...queries.crawl(id), enabled: Number.isSafeInteger(id) });
  const { inspect } = useSearch({ strict: false });
  if (!Number.isSafeInteger(id)) return <NotFound />;
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

/** A project without a screen: opens its running crawl, or else the issues of its latest one. */
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
  if (latest !== null) return <Navigate to="/crawls/$crawlId" params={{ crawlId: String(latest) }} replace />;
  return <Navigate to="/projects/$projectId/crawls" params={{ projectId: String(projectId) }} replace />;
}

/** A crawl without a screen: the live one while it is under way, its issues once it is finished, or the overview of what there is. */
export function CrawlLanding() {
  const crawlId = String(useCrawlId());
  const { data } = useQuery(queries.crawl(useCrawlId()));
  if (data === undefined) {
    return (
      <Page title="Crawl">
        <Skeleton />
      </Page>
    );
  }
  const screen = UNDER_WAY.includes(data.state)
    ? "/crawls/$crawlId/live"
    : isFinished(data.state)
      ? "/crawls/$crawlId/issues"
      : "/crawls/$crawlId/overview";
  return <Navigate to={screen} params={{ crawlId }} search={(search) => search} replace />;
}

const UNDER_WAY: readonly CrawlState[] = ["running", "pausing", "paused", "stopping"];

/** Shown until the server is back; then the page is loaded again, because browsers remember that a script is missing. */
function Unavailable() {
  const { dataUpdatedAt, error, refetch } = useQuery({
    ...queries.activeCrawls(),
    refetchOnMount: "always",
    refetchInterval: POLL_MS,
  });
  const [shownAt] = useState(Date.now);
  const isBack = error === null && dataUpdatedAt > shownAt;
  useEffect(() => {
    if (isBack) location.reload();
  }, [isBack]);
  return (
    <Page title="Waiting for the server">
      <EmptyState
        icon={PlugZap}
        title="This screen opens when the server is back"
        action={<Button onClick={() => void refetch()}>Try again</Button>}
      >
        Check that <code>trawl serve</code> is still running.
      </EmptyState>
    </Page>
  );
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

/** The code of a screen could not be loaded. */
export class ScreenUnavailable extends ApiError {
  constructor() {
    super(OFFLINE);
  }
}

export function ScreenError({ error, reset }: ErrorComponentProps) {
  if (error instanceof ScreenUnavailable) return <Unavailable />;
  return (
    <Page title="This screen could not be shown">
      <ErrorState error={error} onRetry={reset} />
    </Page>
  );
}
