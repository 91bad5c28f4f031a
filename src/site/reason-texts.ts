/** What codes mean, from the tables that define them. */
import { FETCH_ERRORS, type FetchErrorCode } from "../net/fetch-errors.ts";
import { REASONS, type Reason } from "./site-reasons.ts";

export const reasonMeaning = (reason: string | null): string => REASONS[reason as Reason]?.meaning ?? "";
export const reasonSetting = (reason: string | null): string | null => REASONS[reason as Reason]?.setting ?? null;

/** An error of a fetch in words, with what lies beneath it. */
export function fetchErrorMeaning(code: string, detail: unknown = null): string {
  const message = FETCH_ERRORS[code as FetchErrorCode]?.message ?? code;
  return detail === null ? message : `${message} (${detail})`;
}
