/** What the screens of AT Protocol archives request from the server, and the one thing that they change. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { atproto } from "../../../../src/app/operations/index.ts";
import { api } from "../../lib/api.ts";
import type { Answer, Row } from "../../lib/contract.ts";

export type RepoArchive = Row<typeof atproto.listRepoArchives>;
export type ArchiveStatus = Answer<typeof atproto.getRepoArchive>;
export type Hosts = Answer<typeof atproto.listRepoHosts>;
export type HostRow = Hosts["rows"][number];
export type Failures = Answer<typeof atproto.listRepoFailures>;
export type FailureRow = Failures["rows"][number];
export type Repos = Answer<typeof atproto.listRepos>;
export type Repo = Answer<typeof atproto.getRepo>;
export type Records = Answer<typeof atproto.listRecords>;

/** A crawl is another process, which sends no events, so the screen polls the server while one runs. */
export const LOOK_MS = 3_000;

const key = (id: number) => ["atproto", id] as const;

export const atprotoQueries = {
  list: () =>
    queryOptions({
      queryKey: ["atproto"],
      queryFn: async ({ signal }) => (await api.get<{ rows: RepoArchive[] }>("/atproto", {}, signal)).rows,
      refetchInterval: ({ state: { data } }) => (data?.some(({ isRunning }) => isRunning === true) ? LOOK_MS : false),
    }),
  status: (id: number) =>
    queryOptions({
      queryKey: [...key(id), "status"],
      queryFn: ({ signal }) => api.get<ArchiveStatus>(`/atproto/${id}`, {}, signal),
      refetchInterval: ({ state: { data } }) =>
        data?.archive.isRunning === true || data?.archive.isFollowing === true ? LOOK_MS : false,
    }),
  hosts: (id: number, host: string | undefined, limit: number) =>
    queryOptions({
      queryKey: [...key(id), "hosts", host, limit],
      queryFn: ({ signal }) => api.get<Hosts>(`/atproto/${id}/hosts`, { host, limit }, signal),
      placeholderData: keepPreviousData,
    }),
  failures: (id: number, choice: { class?: string; host?: string }, limit: number) =>
    queryOptions({
      queryKey: [...key(id), "failures", choice, limit],
      queryFn: ({ signal }) => api.get<Failures>(`/atproto/${id}/failures`, { ...choice, limit }, signal),
      placeholderData: keepPreviousData,
    }),
  repos: (id: number) =>
    queryOptions({
      queryKey: [...key(id), "repos"],
      queryFn: ({ signal }) => api.get<Repos>(`/atproto/${id}/repos`, { limit: 50 }, signal),
    }),
  repo: (id: number, did: string) =>
    queryOptions({
      queryKey: [...key(id), "repo", did],
      queryFn: ({ signal }) => api.get<Repo>(`/atproto/${id}/repo`, { did }, signal),
    }),
  records: (id: number, did: string, collection: string | undefined) =>
    infiniteQueryOptions({
      queryKey: [...key(id), "records", did, collection],
      queryFn: ({ pageParam, signal }) =>
        api.get<Records>(`/atproto/${id}/records`, { did, collection, limit: 50, cursor: pageParam }, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (last) => last.next,
    }),
};

/** Makes the next crawl try the selected failures again. */
export function useRetryFailures(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (choice: { class?: string; host?: string }) =>
      api.post<Answer<typeof atproto.retryRepoFailures>>(`/atproto/${id}/failures/retry`, choice),
    onSettled: () => client.invalidateQueries({ queryKey: key(id) }),
  });
}
