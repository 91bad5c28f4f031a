/** The headings for groups of facts, in this order. The web app imports this file, so it imports nothing. */

export const FACT_GROUPS = [
  "Content",
  "Search engines",
  "Social",
  "Images",
  "Links",
  "Response",
  "Security",
  "Timing",
  "Field data",
  "Discovery",
  "Browser",
] as const;
export type FactGroup = (typeof FACT_GROUPS)[number];
