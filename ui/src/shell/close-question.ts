/** Asks before the window of `trawl desktop` is closed on running crawls: that pauses them. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useToast } from "../components/toast.tsx";
import { isDesktopWindow } from "../lib/desktop-window.ts";
import { queries } from "../lib/queries.ts";

export function useCloseQuestion(): void {
  const [isDesktop] = useState(() => isDesktopWindow({ search: location.search, session: sessionStorage }));
  const crawls = useQuery(queries.activeCrawls()).data ?? [];
  const count = isDesktop ? crawls.filter(({ isOwn, state }) => isOwn && state === "running").length : 0;
  const toast = useToast();
  useEffect(() => {
    if (count === 0) return;
    const ask = (event: BeforeUnloadEvent) => {
      event.preventDefault();
      // The question has the browser's words, which know nothing of crawls. This is there for whoever stays.
      toast.show({
        tone: "info",
        title: count === 1 ? "A crawl is running" : `${count} crawls are running`,
        detail: "Closing the window pauses what runs. It can be resumed at the next start.",
      });
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [count, toast]);
}
