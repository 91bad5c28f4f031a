/** The Chrome UX Report: values that three quarters of a page's visits stayed below, for pages with enough visitors. */
import type { FieldFacts } from "../facts/fact-rows.ts";
import { type Ask, answered, type ServiceAnswer } from "./service.ts";

export const CRUX_URL = "https://chromeuxreport.googleapis.com/v1/records:queryRecord";
/** Google allows 150 requests per minute. */
export const CRUX_PAUSE_MS = 400;

export type Vitals = Pick<FieldFacts, "lcp" | "inp" | "cls">;

const METRICS = {
  lcp: "largest_contentful_paint",
  inp: "interaction_to_next_paint",
  cls: "cumulative_layout_shift",
} as const;

interface Report {
  record?: { metrics?: Record<string, { percentiles?: { p75?: number | string } }> };
}

/** Null for a page that has too few visits. */
export async function askCrux(
  ask: Ask,
  page: string,
  { url, key }: { url: string; key: string },
): Promise<Vitals | null> {
  // Sent in a header, because addresses end up in logs.
  return vitalsIn(await ask({ url, headers: { "x-goog-api-key": key }, body: { url: page } }));
}

function vitalsIn(answer: ServiceAnswer): Vitals | null {
  if (answer.status === 404) return null;
  const metrics = answered<Report>("The Chrome UX Report", answer).record?.metrics ?? {};
  const p75 = (name: string): number | null => {
    const value = Number(metrics[name]?.percentiles?.p75 ?? Number.NaN);
    return Number.isFinite(value) ? value : null;
  };
  const [lcp, inp] = [p75(METRICS.lcp), p75(METRICS.inp)];
  return {
    lcp: lcp === null ? null : Math.round(lcp),
    inp: inp === null ? null : Math.round(inp),
    cls: p75(METRICS.cls),
  };
}
