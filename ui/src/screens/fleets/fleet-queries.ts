/** What the screens of fleets request from the server, and what they change. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { fleets } from "../../../../src/app/operations/index.ts";
import { api } from "../../lib/api.ts";
import type { Answer } from "../../lib/contract.ts";

export type Fleets = Answer<typeof fleets.listFleets>;
export type AnyFleet = Fleets["rows"][number];
export type Fleet = Answer<typeof fleets.getFleet>;
export type FleetWorker = Fleet["workers"][number];
export type FleetChange = "pause" | "resume" | "stop";
type Pulled = Answer<typeof fleets.pullFleet>;

/** Fleets send no events, so the screen polls the server while one runs. */
const LOOK_MS = 2_000;

const listKey = ["fleets", "list"] as const;
const key = (name: string) => ["fleets", "one", name] as const;
const path = (name: string): string => `/fleets/${encodeURIComponent(name)}`;

const isActive = ({ state }: { state: AnyFleet["state"] }): boolean => state === "running" || state === "paused";

export const fleetQueries = {
  list: () =>
    queryOptions({
      queryKey: listKey,
      queryFn: ({ signal }) => api.get<Fleets>("/fleets", {}, signal),
      refetchInterval: ({ state: { data } }) => (data?.rows.some(isActive) ? LOOK_MS : false),
    }),
  one: (name: string) =>
    queryOptions({
      queryKey: key(name),
      queryFn: ({ signal }) => api.get<Fleet>(path(name), {}, signal),
      refetchInterval: ({ state: { data } }) => (data !== undefined && isActive(data) ? LOOK_MS : false),
    }),
};

export function useChangeFleet(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: FleetChange) => api.post<Fleet>(`${path(name)}/${change}`),
    onSettled: () => client.invalidateQueries({ queryKey: ["fleets"] }),
  });
}

export function usePullFleet(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (host: string | null) => api.post<Pulled>(`${path(name)}/pull`, { host }),
    onSettled: () => client.invalidateQueries(),
  });
}
