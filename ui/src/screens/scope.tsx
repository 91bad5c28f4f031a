/** Screens of a project or crawl are only drawn when it exists; otherwise it is said that it does not. */
import { useQuery } from "@tanstack/react-query";
import { Outlet, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { OwnOriginProvider } from "../components/own-origin.ts";
import { Page } from "../components/page.tsx";
import { ErrorState } from "../components/states.tsx";
import { ApiError } from "../lib/api.ts";
import { useCrawlId, useProjectId } from "../lib/place.ts";
import { queries } from "../lib/queries.ts";
import { urlParts } from "../lib/web-link.ts";
import { NotFound } from "./lost.tsx";
import { RowStepsProvider } from "./url-drawer/row-steps.tsx";

const UrlDrawer = lazy(async () => ({ default: (await import("./url-drawer/url-drawer.tsx")).UrlDrawer }));

export function ProjectScope() {
  const id = useProjectId();
  const projects = useQuery(queries.projects());
  const isLost = projects.data !== undefined && !projects.data.some((project) => project.id === id);
  // A crawl that was just started makes a project: it is on its way while the list is asked for again.
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
