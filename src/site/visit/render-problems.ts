/** What can go wrong when a page is rendered: it failed, or the page did not settle. */
import { RENDER_PROBLEMS, type RenderErrorCode, type RenderProblem } from "../../render/contract.ts";

/** Why there is no rendered page. The facts are then those of the page as it was sent. */
export const RENDER_FAILURES = {
  PAGE_CRASHED: "tab_crashed",
  PAGE_HUNG: "hung",
  PAGE_NOT_SHOWN: "not_shown",
  BROWSER_CRASHED: "browser_crashed",
} as const satisfies Record<RenderErrorCode, string>;

export type SiteRenderProblem = RenderProblem | (typeof RENDER_FAILURES)[RenderErrorCode];

export const RENDER_FAILURE_CODES: readonly string[] = Object.values(RENDER_FAILURES);
export const RENDER_PROBLEM_CODES: readonly string[] = [...RENDER_FAILURE_CODES, ...Object.keys(RENDER_PROBLEMS)];
