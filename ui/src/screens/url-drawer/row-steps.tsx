/** The row before and the row after, for the drawer: a screen with a list offers them while the drawer shows one of its rows. */
import { createContext, type ReactNode, use, useEffect, useRef, useState } from "react";

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

/** For as long as the screen is there; null while the drawer shows none of its rows. */
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
