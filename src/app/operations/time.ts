/** How times are written in every answer: ISO 8601, in UTC. */
import { z } from "zod";

export const time = z.iso.datetime().meta({ description: "ISO 8601, in UTC." });
/** The description says what happened at that time, or what null means. */
export const timeOf = (description: string) => time.meta({ description: `${description} ISO 8601, in UTC.` });

export const isoTime = (ms: number): string => new Date(ms).toISOString();
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
