/** Everything that screens change on the server: one hook each, which refreshes the affected queries. */
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useToast } from "../components/feedback/toast.tsx";
import { api } from "./api.ts";
import type * as contract from "./contract.ts";
import type { CrawlState } from "./contract.ts";
import { keys } from "./queries.ts";
import { isResumable } from "./status.ts";

function useChange<Input, Output>(send: (input: Input) => Promise<Output>, touched: (input: Input) => QueryKey[]) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    // Also after a failure: the server may have done part of it.
    onSettled: (_output, _error, input) =>
      Promise.all(touched(input).map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

const ofCrawl = (id: number): QueryKey[] => [keys.crawl(id), keys.active, keys.projects, ["project"]];

export const useStartCrawl = () =>
  useChange(
    (input: contract.StartCrawl) => api.post<contract.StartedCrawl>("/crawl", input),
    () => [keys.active, keys.projects, ["project"]],
  );
export const useStartDemo = () =>
  useChange(
    (_: undefined) => api.post<contract.StartedCrawl>("/demo"),
    () => [keys.active, keys.projects, ["project"]],
  );
export const useInstallUpdate = () =>
  useChange(
    (_: undefined) => api.post<contract.InstalledUpdate>("/update"),
    () => [],
  );
export const usePauseCrawl = () => useChange((id: number) => api.post(`/crawls/${id}/pause`), ofCrawl);
export const useResumeCrawl = () => useChange((id: number) => api.post(`/crawls/${id}/resume`), ofCrawl);
export const useStopCrawl = () =>
  useChange((id: number) => api.post<contract.StoppedCrawl>(`/crawls/${id}/stop`), ofCrawl);
export const useDeleteCrawl = () =>
  useChange(
    (id: number) => api.delete(`/crawls/${id}`),
    () => [keys.projects, ["project"], keys.active],
  );
export const useDeleteProject = () =>
  useChange(
    (id: number) => api.delete(`/projects/${id}`),
    () => [keys.projects, keys.active, keys.schedules],
  );
export const useUpdateConfig = () =>
  useChange(
    (input: contract.ConfigUpdate) => api.put<contract.Config>("/config", input),
    () => [keys.config],
  );
export const useSaveView = () =>
  useChange(
    (input: contract.NewView) => api.put<contract.SavedView>("/views", input),
    () => [keys.views],
  );
export const useDeleteView = () =>
  useChange(
    (id: number) => api.delete(`/views/${id}`),
    () => [keys.views],
  );
export const useSetSchedule = (projectId: number) =>
  useChange(
    (input: contract.ScheduleRule) => api.put<contract.Schedule>(`/projects/${projectId}/schedule`, input),
    () => [keys.schedules],
  );
export const useDeleteSchedule = (projectId: number) =>
  useChange(
    (_: undefined) => api.delete(`/projects/${projectId}/schedule`),
    () => [keys.schedules],
  );
export const useRunSchedule = (projectId: number) =>
  useChange(
    (_: undefined) => api.post<{ crawlId: number }>(`/projects/${projectId}/schedule/run`),
    () => [keys.schedules, keys.active, keys.projects, ["project"]],
  );
/** Applies the audit rules to the crawl again, without a request to the site. */
export const useAudit = () =>
  useChange(
    (id: number) => api.post<contract.IssueList>(`/crawls/${id}/audit`, {}),
    (id) => [keys.crawl(id)],
  );
export const useAccept = (crawlId: number) =>
  useChange(
    (input: contract.NewAcceptance) => api.post<contract.Acceptances>(`/crawls/${crawlId}/accepted`, input),
    // It holds for all crawls of the project.
    () => [["crawl"]],
  );
export const useRemoveAcceptance = (crawlId: number) =>
  useChange(
    (key: string) => api.delete(`/crawls/${crawlId}/accepted/${key}`),
    () => [["crawl"]],
  );
/** Queries sent with a body: nothing on the server changes. */
export const useTestRules = () =>
  useMutation({
    mutationFn: (input: contract.RulesTest) => api.post<{ rows: contract.RulesVerdict[] }>("/rules/test", input),
  });
export const useQuerySql = (crawlId: number) =>
  useMutation({
    mutationFn: (input: contract.SqlQuestion) => api.post<contract.SqlAnswer>(`/crawls/${crawlId}/sql`, input),
  });

/** Pauses or resumes the current crawl: for the button, the shortcut and the palette. */
export interface PauseToggle {
  label: "Pause" | "Resume";
  isBusy: boolean;
  run: () => void;
}

interface Steered {
  crawlId: number;
  state: CrawlState;
}

/** Null if there is nothing to pause or resume. */
export function usePauseToggle(crawl: Steered | null): PauseToggle | null {
  const pause = usePauseCrawl();
  const resume = useResumeCrawl();
  const toast = useToast();
  if (crawl === null) return null;
  const { crawlId, state } = crawl;
  const onError = (error: unknown) => toast.fail(error);
  const isBusy = pause.isPending || resume.isPending;
  if (state === "running") return { label: "Pause", isBusy, run: () => pause.mutate(crawlId, { onError }) };
  if (isResumable(state)) return { label: "Resume", isBusy, run: () => resume.mutate(crawlId, { onError }) };
  return null;
}
