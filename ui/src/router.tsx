/** The paths of the app. A new screen is one route here, and one line in shell/navigation.ts if it belongs in the menu. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { readArchiveView as readWorkspaceView } from "./screens/archives/archive-view.ts";
import { readArchiveView } from "./screens/atproto/archive-view.ts";
import { compareSearch } from "./screens/compare/compare-search.ts";
import { readExplorerSearch } from "./screens/explorer/url-view.ts";
import { graphSearch } from "./screens/graph/graph-search.ts";
import { readIssueChoice, readIssuePage } from "./screens/issues/issue-lists.ts";
import { readLinkChoice } from "./screens/links/link-choice.ts";
import {
  CrawlLanding,
  CrawlScope,
  Landing,
  NotFound,
  ProjectScope,
  ScreenError,
  ScreenUnavailable,
} from "./screens/scope.tsx";
import { readStructureSearch } from "./screens/structure/structure-search.ts";
import { Shell } from "./shell/shell.tsx";

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** A screen that is loaded when it is opened. Without a server that fails, in words that depend on the browser. */
const screen = <Name extends string>(load: () => Promise<Record<Name, React.ComponentType>>, name: Name) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch {
      throw new ScreenUnavailable();
    }
  }, name);

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: screen(() => import("./screens/start/start-screen.tsx"), "StartScreen"),
});

interface NewCrawlSearch {
  url?: string;
  preset?: string;
  /** A crawl whose URL and settings are taken. */
  from?: number;
  /** A setting of that crawl that goes back to its default: a limit that was reached. */
  raise?: string;
}

const newCrawl = createRoute({
  getParentRoute: () => root,
  path: "/new",
  validateSearch: (search: Record<string, unknown>): NewCrawlSearch => ({
    url: text(search["url"]),
    preset: text(search["preset"]),
    from: Number(search["from"]) || undefined,
    raise: text(search["raise"]),
  }),
  component: screen(() => import("./screens/new-crawl/new-crawl-screen.tsx"), "NewCrawlScreen"),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: "/schedules",
  component: screen(() => import("./screens/schedule/schedules-screen.tsx"), "SchedulesScreen"),
});

const archives = createRoute({
  getParentRoute: () => root,
  path: "/archives",
  component: screen(() => import("./screens/archives/archives-screen.tsx"), "ArchivesScreen"),
});

const oneArchive = createRoute({
  getParentRoute: () => root,
  path: "/archives/$archiveId",
  validateSearch: readWorkspaceView,
  component: screen(() => import("./screens/archives/one-archive-screen.tsx"), "OneArchiveScreen"),
});

const fleets = createRoute({
  getParentRoute: () => root,
  path: "/fleets",
  component: screen(() => import("./screens/fleets/fleets-screen.tsx"), "FleetsScreen"),
});

const oneFleet = createRoute({
  getParentRoute: () => root,
  path: "/fleets/$fleetName",
  component: screen(() => import("./screens/fleets/fleet-screen.tsx"), "FleetScreen"),
});

const atproto = createRoute({
  getParentRoute: () => root,
  path: "/atproto",
  component: screen(() => import("./screens/atproto/atproto-screen.tsx"), "AtprotoScreen"),
});

const atprotoArchive = createRoute({
  getParentRoute: () => root,
  path: "/atproto/$archiveId",
  validateSearch: readArchiveView,
  component: screen(() => import("./screens/atproto/archive-screen.tsx"), "ArchiveScreen"),
});

const project = createRoute({ getParentRoute: () => root, path: "/projects/$projectId", component: ProjectScope });
const projectScreens = [
  createRoute({ getParentRoute: () => project, path: "/", component: Landing }),
  createRoute({
    getParentRoute: () => project,
    path: "crawls",
    component: screen(() => import("./screens/crawls/crawls-screen.tsx"), "CrawlsScreen"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings",
    validateSearch: (search: Record<string, unknown>): { find?: string } => ({ find: text(search["find"]) }),
    component: screen(() => import("./screens/settings/settings-screen.tsx"), "SettingsScreen"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "schedule",
    component: screen(() => import("./screens/schedule/schedule-screen.tsx"), "ScheduleScreen"),
  }),
] as const;

/** `inspect` is the URL whose drawer is open, on any screen of a crawl. */
const crawl = createRoute({
  getParentRoute: () => root,
  path: "/crawls/$crawlId",
  validateSearch: (search: Record<string, unknown>): { inspect?: string } => ({ inspect: text(search["inspect"]) }),
  component: CrawlScope,
});
const crawlScreens = [
  createRoute({ getParentRoute: () => crawl, path: "/", component: CrawlLanding }),
  createRoute({
    getParentRoute: () => crawl,
    path: "live",
    component: screen(() => import("./screens/live/live-screen.tsx"), "LiveScreen"),
  }),
  createRoute({
    getParentRoute: () => crawl,
    path: "explorer",
    validateSearch: readExplorerSearch,
    component: screen(() => import("./screens/explorer/explorer-screen.tsx"), "ExplorerScreen"),
  }),
  createRoute({
    getParentRoute: () => crawl,
    path: "sql",
    validateSearch: (search: Record<string, unknown>): { sql?: string } => ({ sql: text(search["sql"]) }),
    component: screen(() => import("./screens/sql/sql-screen.tsx"), "SqlScreen"),
  }),
  createRoute({
    getParentRoute: () => crawl,
    path: "issues",
    validateSearch: readIssueChoice,
    component: screen(() => import("./screens/issues/issues-screen.tsx"), "IssuesScreen"),
  }),
  createRoute({
    getParentRoute: () => crawl,
    // Not in the path: what has a dot there is a file to the server.
    path: "issue",
    validateSearch: readIssuePage,
    component: screen(() => import("./screens/issues/issue-screen.tsx"), "IssueScreen"),
  }),
  createRoute({
    getParentRoute: () => crawl,
    path: "overview",
    component: screen(() => import("./screens/overview/overview-screen.tsx"), "OverviewScreen"),
  }),
  createRoute({
    getParentRoute: () => crawl,
    path: "links",
    validateSearch: readLinkChoice,
    component: screen(() => import("./screens/links/links-screen.tsx"), "LinksScreen"),
  }),
  createRoute({
    getParentRoute: () => crawl,
    path: "structure",
    validateSearch: readStructureSearch,
    component: screen(() => import("./screens/structure/structure-screen.tsx"), "StructureScreen"),
  }),
  createRoute({
    getParentRoute: () => crawl,
    path: "graph",
    validateSearch: graphSearch,
    component: screen(() => import("./screens/graph/graph-screen.tsx"), "GraphScreen"),
  }),
  createRoute({
    getParentRoute: () => crawl,
    path: "decisions",
    component: screen(() => import("./screens/decisions/decisions-screen.tsx"), "DecisionsScreen"),
  }),
  createRoute({
    getParentRoute: () => crawl,
    path: "compare",
    validateSearch: compareSearch,
    component: screen(() => import("./screens/compare/compare-screen.tsx"), "CompareScreen"),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    newCrawl,
    schedules,
    fleets,
    oneFleet,
    archives,
    oneArchive,
    atproto,
    atprotoArchive,
    project.addChildren(projectScreens),
    crawl.addChildren(crawlScreens),
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: ScreenError,
  scrollRestoration: true,
  scrollToTopSelectors: ["#main"],
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
