/** The limits that a question can be given; the server holds them. */

export const ROW_LIMITS = [200, 1_000, 10_000] as const;
export const TIME_LIMITS_MS = [5_000, 15_000, 30_000] as const;

export interface SqlLimits {
  limit: number;
  timeoutMs: number;
}

export const DEFAULT_LIMITS: SqlLimits = { limit: 1_000, timeoutMs: 5_000 };
