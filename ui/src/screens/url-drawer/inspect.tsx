/** Which URL's drawer is open, the rows before and after it, and links that open it. */
import { useCanGoBack, useNavigate, useRouter, useRouterState, useSearch } from "@tanstack/react-router";
import { createContext, type ReactNode, use, useEffect, useRef, useState } from "react";
import { UrlText } from "../../components/data/links.tsx";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** How many links were followed inside the drawer: as many steps back lead out of it. */
    inspectDepth?: number;
  }
}

export interface Inspect {
  /** Null while the drawer is closed. */
  url: string | null;
  /** Opens a URL; with `isStep`, for the row next to the open one, it is not a step in the history. */
  open: (url: string, isStep?: boolean) => void;
  /** Follows a link inside the drawer. */
  follow: (url: string) => void;
  /** Back to the URL that the link was on; null if no link was followed. */
  back: (() => void) | null;
  close: () => void;
}

/** Which URL's drawer is open: the `inspect` of the address, on every screen of a crawl. */
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

/** The previous and the next row, which a screen with a list offers while the drawer shows one of its rows. */
export interface RowSteps {
  /** Counted from 1. */
  place: number;
  total: number;
  step: (by: 1 | -1) => void;
}

interface Offer {
  steps: RowSteps | null;
  offer: (steps: RowSteps | null) => void;
}

const Context = createContext<Offer>({ steps: null, offer: () => {} });

export const useRowSteps = (): RowSteps | null => use(Context).steps;

export function RowStepsProvider({ children }: { children: ReactNode }) {
  const [steps, setSteps] = useState<RowSteps | null>(null);
  return <Context value={{ steps, offer: setSteps }}>{children}</Context>;
}

/** While the screen is mounted; null if the drawer shows none of its rows. */
export function useOfferRowSteps(steps: RowSteps | null): void {
  const { offer } = use(Context);
  const step = useRef(steps?.step);
  step.current = steps?.step;
  const place = steps?.place ?? null;
  const total = steps?.total ?? 0;
  useEffect(() => {
    offer(place === null ? null : { place, total, step: (by) => step.current?.(by) });
    return () => offer(null);
  }, [offer, place, total]);
}

/** A URL that opens its drawer; inside a drawer, it replaces the shown URL, with a way back. */
export function UrlLink({ url }: { url: string }) {
  const { open, follow, url: current } = useInspect();
  if (url === current) return <UrlText url={url} />;
  return (
    <button type="button" className="url-link" onClick={() => (current === null ? open(url) : follow(url))}>
      <UrlText url={url} />
    </button>
  );
}
