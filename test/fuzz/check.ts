/** The oracle: runs a target on one input, and says what is wrong with how it behaved. */
import { OUTPUT_ALLOWANCE, resultText, type Target } from "./target.ts";

const DEFAULT_GROWTH = 64;

interface Ran {
  text: string;
  refused: boolean;
}

async function runOnce(target: Target, input: Buffer): Promise<Ran | string> {
  try {
    return { text: resultText(await target.run(Buffer.from(input))), refused: false };
  } catch (error) {
    if (target.refuses?.(error)) return { text: String(error), refused: true };
    return `throws ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}

/** Null when nothing is wrong. */
export async function problemWith(target: Target, input: Buffer): Promise<string | null> {
  const first = await runOnce(target, input);
  if (typeof first === "string") return first;
  const limit = input.length * (target.growth ?? DEFAULT_GROWTH) + OUTPUT_ALLOWANCE;
  if (first.text.length > limit) return `gives ${first.text.length} bytes for ${input.length}`;
  const second = await runOnce(target, input);
  if (typeof second === "string") return second;
  return first.text === second.text ? null : "gives another result the second time";
}

const SHORT = 32 << 10;
const FACTOR = 16;
/** Sixteen times the input may take sixteen times the time, and four times that: processors have caches. */
const MAX_RATIO = FACTOR * 4;
/** Below this, a ratio means nothing. */
const NOTICEABLE_MS = 400;

/** The input again and again, once short and once long: time must grow with length, not faster. */
export async function slownessOf(target: Target, input: Buffer): Promise<string | null> {
  if (input.length === 0) return null;
  const repeated = (length: number): Buffer => Buffer.alloc(length, input);
  const long = await cpuMs(target, repeated(SHORT * FACTOR));
  if (long < NOTICEABLE_MS) return null;
  const short = Math.max(1, await cpuMs(target, repeated(SHORT)));
  if (long / short <= MAX_RATIO) return null;
  // Once more, in case something else had the processor.
  const again = await cpuMs(target, repeated(SHORT * FACTOR));
  if (again / short <= MAX_RATIO) return null;
  return `${FACTOR} times the input takes ${Math.round(again / short)} times as long (${Math.round(short)} ms, ${Math.round(again)} ms)`;
}

async function cpuMs(target: Target, input: Buffer): Promise<number> {
  const before = process.threadCpuUsage();
  await runOnce(target, input);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
