/** The window of `trawl desktop`: closing it pauses running crawls, so it asks first. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Toaster } from "../components/feedback/toast.tsx";
import { queries } from "../lib/queries.ts";

/** `trawl desktop` opens its window with this in the address. */
const PARAMETER = "desktop";
/** Other screens have other addresses, but the window keeps its session. */
const KEY = "trawl-desktop";

export interface WindowFacts {
  /** The query of the address. */
  search: string;
  session: Pick<Storage, "getItem" | "setItem">;
}

/** A browser tab can be closed without harm; closing this window ends its server. */
export function isDesktopWindow({ search, session }: WindowFacts): boolean {
  if (new URLSearchParams(search).has(PARAMETER)) session.setItem(KEY, "yes");
  return session.getItem(KEY) !== null;
}

export function useCloseQuestion(toast: Toaster): void {
  const [isDesktop] = useState(() => isDesktopWindow({ search: location.search, session: sessionStorage }));
  const crawls = useQuery(queries.activeCrawls()).data ?? [];
  const count = isDesktop ? crawls.filter(({ isOwn, state }) => isOwn && state === "running").length : 0;
  useEffect(() => {
    if (count === 0) return;
    const ask = (event: BeforeUnloadEvent) => {
      event.preventDefault();
      // The browser asks in its own words, which do not mention crawls. This note is for those who stay.
      toast.show({
        tone: "info",
        title: count === 1 ? "A crawl is running" : `${count} crawls are running`,
        detail: "Closing the window pauses what is running. You can resume it the next time you start Trawl.",
      });
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [count, toast]);
}
