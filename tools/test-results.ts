/** The results of one test file, gathered from the events of Node's test runner. */
import type { EventData } from "node:test";

export interface Failure {
  /** The test, preceded by the groups it is in. */
  name: string;
  error: unknown;
}

export interface FileResult {
  file: string;
  passed: number;
  skipped: number;
  /** Why tests were skipped, each reason once. */
  skipReasons: string[];
  failures: Failure[];
  /** What the file printed, in case it failed. */
  output: string;
  durationMs: number;
}

export type TestEvent =
  | { type: "test:start"; data: Pick<EventData.TestStart, "name" | "nesting"> }
  | { type: "test:pass"; data: TestEnd }
  | { type: "test:fail"; data: TestEnd }
  | { type: "test:stdout" | "test:stderr"; data: { message: string } };

interface TestEnd {
  name: string;
  nesting: number;
  details: { type?: string; error?: unknown };
  skip?: string | boolean;
  todo?: string | boolean;
}

/** A test that never stops printing must not fill our memory. */
const LONGEST_OUTPUT = 100_000;

export class FileResultBuilder {
  readonly #result: FileResult;
  /** Names of the groups around the test that ended last, outermost first. */
  readonly #groups: string[] = [];

  constructor(file: string) {
    this.#result = { file, passed: 0, skipped: 0, skipReasons: [], failures: [], output: "", durationMs: 0 };
  }

  add(event: TestEvent): void {
    switch (event.type) {
      case "test:start":
        this.#groups.length = event.data.nesting;
        this.#groups.push(event.data.name);
        break;
      case "test:pass":
      case "test:fail":
        this.#end(event.data, event.type === "test:pass");
        break;
      case "test:stdout":
      case "test:stderr":
        this.#result.output = (this.#result.output + event.data.message).slice(-LONGEST_OUTPUT);
    }
  }

  finish(durationMs: number): FileResult {
    return { ...this.#result, durationMs };
  }

  #end({ name, nesting, details, skip, todo }: TestEnd, passed: boolean): void {
    const result = this.#result;
    const unwanted = skip ?? todo;
    if (unwanted !== undefined && unwanted !== false) {
      result.skipped++;
      const reason = typeof unwanted === "string" && unwanted !== "" ? unwanted : "no reason given";
      if (!result.skipReasons.includes(reason)) result.skipReasons.push(reason);
    } else if (details.type !== "suite") {
      if (passed) result.passed++;
      else result.failures.push({ name: [...this.#groups.slice(0, nesting), name].join(" › "), error: details.error });
    } else if (!passed && !isFailureOfTests(details.error)) {
      // A group that fails in a hook has no failed test to count.
      result.failures.push({ name, error: details.error });
    }
  }
}

function isFailureOfTests(error: unknown): boolean {
  return (error as { failureType?: string } | undefined)?.failureType === "subtestsFailed";
}
