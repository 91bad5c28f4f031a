/** Which links of a crawl are shown; it is in the address. */
import type { LinkSearchQuery } from "../../lib/contract.ts";

export type LinkChoice = Pick<
  LinkSearchQuery,
  "state" | "internal" | "nofollow" | "type" | "position" | "statusClass" | "search"
>;

export const LINK_STATES = ["alive", "dead", "unverified", "unchecked"] as const;
export const LINK_PLACES = ["content", "navigation", "header", "footer", "aside", "head"] as const;

const word = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** The search part of an address. What the server does not know, it refuses with a reason. */
export const readLinkChoice = (search: Record<string, unknown>): LinkChoice => ({
  state: LINK_STATES.find((one) => one === search["state"]),
  internal: (["yes", "no"] as const).find((one) => one === search["internal"]),
  nofollow: (["yes", "no"] as const).find((one) => one === search["nofollow"]),
  position: word(search["position"]) as LinkChoice["position"],
  type: word(search["type"]) as LinkChoice["type"],
  statusClass: [1, 2, 3, 4, 5].find((one) => one === search["statusClass"]),
  search: typeof search["search"] === "number" ? String(search["search"]) : word(search["search"]),
});
