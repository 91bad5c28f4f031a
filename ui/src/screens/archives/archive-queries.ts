/** What the screens of archives request from the server, and what they change. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { archives } from "../../../../src/app/operations/index.ts";
import { api, apiUrl } from "../../lib/api.ts";
import type { Answer, Row } from "../../lib/contract.ts";
import { type Choice, choiceQuery } from "./archive-view.ts";

export type Archive = Row<typeof archives.listArchives>;
export type ArchiveRun = NonNullable<Archive["run"]>;
export type RestingHost = ArchiveRun["resting"][number];
export type ArchiveStatus = Answer<typeof archives.getArchive>;
export type Pages = Answer<typeof archives.listArchivePages>;
export type FetchRow = Pages["rows"][number];
export type Failures = Answer<typeof archives.listArchiveFailures>;
export type FailureRow = Failures["rows"][number];
export type StoredPage = Answer<typeof archives.getArchivedPage>;
export type Found = Answer<typeof archives.searchArchive>;
export type Match = Found["rows"][number];
export type Verification = Answer<typeof archives.verifyArchive>;

/** Runs of archives send no events, so the screen polls the server while one runs. */
const LOOK_MS = 2_000;
/** The status reads all lists of an archive. */
const STATUS_MS = 15_000;

const key = (id: number) => ["archives", id] as const;
const listKey = ["archives", "list"] as const;

/** Failures that are listed at first, and the most that the server lists at once. */
export const FEW = 100;
export const MOST = 1_000;

export const archiveQueries = {
  list: () =>
    queryOptions({
      queryKey: listKey,
      queryFn: async ({ signal }) => (await api.get<{ rows: Archive[] }>("/archives", {}, signal)).rows,
      refetchInterval: ({ state: { data } }) => (data?.some(({ isRunning }) => isRunning) ? LOOK_MS : false),
    }),
  status: (id: number) =>
    queryOptions({
      queryKey: [...key(id), "status"],
      queryFn: ({ signal }) => api.get<ArchiveStatus>(`/archives/${id}`, {}, signal),
      refetchInterval: ({ state: { data } }) => (data?.archive.isRunning ? STATUS_MS : false),
    }),
  pages: (id: number, choice: Choice) =>
    infiniteQueryOptions({
      queryKey: [...key(id), "pages", choice],
      queryFn: ({ pageParam, signal }) =>
        api.get<Pages>(`/archives/${id}/pages`, { ...choiceQuery(choice), limit: 100, cursor: pageParam }, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (last) => last.next,
      placeholderData: keepPreviousData,
    }),
  failures: (id: number, choice: Choice, limit: number) =>
    queryOptions({
      queryKey: [...key(id), "failures", choice, limit],
      queryFn: ({ signal }) => api.get<Failures>(`/archives/${id}/failures`, { ...choiceQuery(choice), limit }, signal),
      placeholderData: keepPreviousData,
    }),
  page: (id: number, page: string) =>
    queryOptions({
      queryKey: [...key(id), "page", page],
      queryFn: ({ signal }) => api.get<StoredPage>(`/archives/${id}/page`, { page }, signal),
    }),
  search: (id: number, words: string) =>
    queryOptions({
      queryKey: [...key(id), "search", words],
      queryFn: ({ signal }) => api.get<Found>(`/archives/${id}/search`, { words, limit: 50 }, signal),
    }),
  /** Takes long for a large archive; leaving the screen ends it. */
  verify: (id: number) =>
    queryOptions({
      queryKey: [...key(id), "verify"],
      queryFn: ({ signal }) => api.get<Verification>(`/archives/${id}/verify`, {}, signal),
      enabled: false,
      retry: false,
      gcTime: 0,
    }),
};

/** The address of a stored page for a sandboxed frame. */
export const viewUrl = (id: number, page: string): string => apiUrl(`/archives/${id}/page/view`, { page });

export interface Start {
  retryFailed?: boolean;
  refresh?: boolean;
  choice?: Choice;
}

function useArchiveChange<Input>(id: number, change: (input: Input) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: listKey }),
        client.invalidateQueries({ queryKey: [...key(id), "status"] }),
      ]),
  });
}

export const useStartArchive = (id: number) =>
  useArchiveChange(id, ({ choice = {}, ...start }: Start) =>
    api.post<Archive>(`/archives/${id}/start`, { ...start, ...choiceQuery(choice) }),
  );
export const usePauseArchive = (id: number) =>
  useArchiveChange<void>(id, () => api.post<Archive>(`/archives/${id}/pause`));
export const useUnpauseArchive = (id: number) =>
  useArchiveChange<void>(id, () => api.post<Archive>(`/archives/${id}/unpause`));
export const useStopArchive = (id: number) =>
  useArchiveChange<void>(id, () => api.post<Archive>(`/archives/${id}/stop`));
export const useForgetArchive = (id: number) => useArchiveChange<void>(id, () => api.delete(`/archives/${id}`));

/** After a run, everything that was read from the archive is old; what a run changes otherwise is only counted. */
export function useRefreshArchive(id: number): () => void {
  const client = useQueryClient();
  return () => {
    for (const part of ["status", "pages", "failures"]) {
      void client.invalidateQueries({ queryKey: [...key(id), part] });
    }
  };
}
