/** Values to choose from while a filter is typed: words that a field can have, or that this crawl has. */
import { useQuery } from "@tanstack/react-query";
import type { Overview } from "../../lib/contract.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";

const WORDS: Record<string, readonly string[]> = {
  verdict: ["crawl", "record", "skip"],
  state: ["open", "done", "failed"],
  indexable: ["Yes", "No", "-"],
  status: ["2xx", "3xx", "4xx", "5xx"],
};

const COUNTED: Record<string, (overview: Overview) => Overview["reasons"]> = {
  status: ({ statuses }) => statuses,
  reason: ({ reasons }) => reasons,
  error: ({ errors }) => errors,
  content_type: ({ contentTypes }) => contentTypes,
  indexability: ({ indexability }) => indexability,
};

export function useSuggestions(field: string): string[] {
  const counted = COUNTED[field];
  const overview = useQuery({ ...queries.overview(useCrawlId()), enabled: counted !== undefined }).data;
  const found = overview === undefined || counted === undefined ? [] : counted(overview);
  const values = found.flatMap(({ value }) => (value === null || value === "" ? [] : [String(value)]));
  return [...new Set([...(WORDS[field] ?? []), ...values])];
}
