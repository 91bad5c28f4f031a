/** Keeps the data fresh: follows the server's events, and refetches what each one makes old. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { API } from "../lib/api.ts";
import { followNews, type NewsMode, RESULTS_MS, staleAfter } from "../lib/news.ts";
import { keys } from "../lib/queries.ts";

const Context = createContext<NewsMode>("connecting");

/** How the app learns of changes: `live` through the stream, `polling` without it. */
export const useNewsMode = (): NewsMode => use(Context);

export function NewsProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [mode, setMode] = useState<NewsMode>("connecting");
  useEffect(() => {
    const resultsAskedAt = new Map<number, number>();
    const freshen = (queryKey: readonly unknown[]) => void client.invalidateQueries({ queryKey });
    return followNews({
      open: () => new EventSource(`${API}/events`),
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
      random: Math.random,
      onMode: setMode,
      onEvent: (event) => {
        const now = Date.now();
        const isDue = now - (resultsAskedAt.get(event.crawlId) ?? 0) >= RESULTS_MS;
        if (isDue) resultsAskedAt.set(event.crawlId, now);
        for (const key of staleAfter(event, isDue)) freshen(key);
      },
      onPoll: () => {
        for (const key of [keys.active, keys.projects, ["project"], ["crawl"]]) freshen(key);
      },
    });
  }, [client]);
  return <Context value={mode}>{children}</Context>;
}
