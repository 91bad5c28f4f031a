/** Where you are in the app: which project and which crawl, from the path alone. */
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ApiError } from "./api.ts";
import type { CrawlInfo, CrawlProgress, Project } from "./contract.ts";
import { queries } from "./queries.ts";

export interface Place {
  projectId: number | null;
  crawlId: number | null;
  project: Project | null;
  crawl: CrawlInfo | null;
  /** The active crawl of this place, or else of this project. */
  active: CrawlProgress | null;
  /** The crawl that links to crawl screens open from here. */
  landingCrawlId: number | null;
}

export function usePlace(): Place {
  const { crawlId: crawlText, projectId: projectText } = useParams({ strict: false });
  const asked = numberOf(crawlText);
  const { data: crawl = null, error } = useQuery({ ...queries.crawl(asked ?? 0), enabled: asked !== null });
  // A crawl or project that does not exist has no screens to link to.
  const crawlId = error instanceof ApiError && !error.isOffline ? null : asked;
  const named = numberOf(projectText) ?? crawl?.projectId ?? null;
  const projects = useQuery(queries.projects());
  const project = projects.data?.find(({ id }) => id === named) ?? null;
  const isKnown = project !== null || projects.data === undefined || projects.isFetching;
  const projectId = isKnown ? named : null;
  const running = useQuery(queries.activeCrawls()).data ?? [];
  const active =
    crawlId === null
      ? (running.find((one) => one.projectId === projectId) ?? null)
      : (running.find((one) => one.crawlId === crawlId) ?? null);
  const landingCrawlId = crawlId ?? active?.crawlId ?? project?.latestCrawlId ?? null;
  return { projectId, crawlId, project, crawl, active, landingCrawlId };
}

/** The crawl of a crawl screen. */
export function useCrawlId(): number {
  return Number(useParams({ strict: false }).crawlId);
}

/** The project of a project screen. */
export function useProjectId(): number {
  return Number(useParams({ strict: false }).projectId);
}

const numberOf = (text: string | undefined): number | null => (/^\d+$/.test(text ?? "") ? Number(text) : null);
