/** Which URL's drawer is open: the `inspect` of the address, on every screen of a crawl. */
import { useCanGoBack, useNavigate, useRouter, useRouterState, useSearch } from "@tanstack/react-router";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** How many links were followed inside the drawer: as many steps back lead out again. */
    inspectDepth?: number;
  }
}

export interface Inspect {
  /** Null while the drawer is closed. */
  url: string | null;
  /** Opens a URL; `isStep` for the row beside the one that is open, which is no step to go back. */
  open: (url: string, isStep?: boolean) => void;
  /** Follows a link inside the drawer. */
  follow: (url: string) => void;
  /** Back to the URL that the link was followed from; null when none was. */
  back: (() => void) | null;
  close: () => void;
}

export function useInspect(): Inspect {
  const { inspect } = useSearch({ strict: false });
  const navigate = useNavigate();
  const router = useRouter();
  const canGoBack = useCanGoBack();
  const depth = useRouterState({ select: ({ location }) => location.state.inspectDepth ?? 0 });
  const go = (url: string | undefined, inspectDepth: number, replace: boolean) =>
    void navigate({
      to: ".",
      search: (search) => ({ ...search, inspect: url }),
      state: (state) => ({ ...state, inspectDepth }),
      replace,
    });
  return {
    url: inspect ?? null,
    open: (url, isStep = false) => go(url, 0, isStep),
    follow: (url) => go(url, depth + 1, false),
    back: depth > 0 && canGoBack ? () => router.history.back() : null,
    close: () => go(undefined, 0, false),
  };
}
