/** Keeps the data fresh: follows the server's events, and refetches what each one makes old. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { API } from "../lib/api.ts";
import { RESULTS_MS, staleAfter } from "../lib/news.ts";
import { followNews, hearNews, LEAVE, type NewsListener, type NewsMode, newsSource } from "../lib/news-stream.ts";
import { keys } from "../lib/queries.ts";

const Context = createContext<NewsMode>("connecting");

/** How the app learns of changes: `live` through the stream, `polling` without it. */
export const useNewsMode = (): NewsMode => use(Context);

export function NewsProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [mode, setMode] = useState<NewsMode>("connecting");
  useEffect(() => whileShown(freshener(client, setMode)), [client]);
  return <Context value={mode}>{children}</Context>;
}

/** Refetches what an event makes old; the results of a running crawl only now and then. */
function freshener(client: QueryClient, onMode: (mode: NewsMode) => void): NewsListener {
  const resultsAskedAt = new Map<number, number>();
  const freshen = (queryKey: readonly unknown[]) => void client.invalidateQueries({ queryKey });
  return {
    onMode,
    onEvent: (event) => {
      const now = Date.now();
      const isDue = now - (resultsAskedAt.get(event.crawlId) ?? 0) >= RESULTS_MS;
      if (isDue) resultsAskedAt.set(event.crawlId, now);
      for (const key of staleAfter(event, isDue)) freshen(key);
    },
    onPoll: () => {
      for (const key of [keys.active, keys.projects, ["project"], ["crawl"]]) freshen(key);
    },
  };
}

/** A page that the browser keeps for its back button must hold no connection; when it is shown again, it catches up. */
function whileShown(listener: NewsListener): () => void {
  let leave = joinNews(listener);
  const onHide = () => leave();
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    leave = joinNews(listener);
    listener.onPoll();
  };
  addEventListener("pagehide", onHide);
  addEventListener("pageshow", onShow);
  return () => {
    removeEventListener("pagehide", onHide);
    removeEventListener("pageshow", onShow);
    leave();
  };
}

/** Through the worker that all tabs share, or, if there isn't one (some phones), with a stream of this page's own. */
function joinNews(listener: NewsListener): () => void {
  const alone = () => followNews(newsSource(`${API}/events`), listener);
  if (typeof SharedWorker === "undefined") return alone();
  const worker = new SharedWorker(new URL("./news.worker.ts", import.meta.url), { type: "module", name: "trawl-news" });
  const { port } = worker;
  let leave = () => {
    port.postMessage(LEAVE);
    port.close();
  };
  // The worker's script could not be loaded.
  worker.addEventListener("error", () => {
    leave = alone();
  });
  port.addEventListener("message", ({ data }) => hearNews(data, listener));
  port.start();
  return () => leave();
}
