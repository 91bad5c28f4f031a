/** Errors on their way from one process to another: the user sees the same text. */
import { type ErrorCode, TrawlError } from "../../errors.ts";
import { storeError } from "../../kernel/sqlite/store-error.ts";

export interface Failure {
  code: ErrorCode | null;
  message: string;
  hint: string;
}

export function failureOf(thrown: unknown): Failure {
  const error = storeError(thrown, "The database of this crawl");
  if (error instanceof TrawlError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error), hint: "" };
}

export const restoredError = ({ code, message, hint }: Failure): Error =>
  code === null ? new Error(message) : new TrawlError(code, message, { hint });
