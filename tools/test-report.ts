/** Prints test results: one line per file, failures in full, and the counts alone on the last line. */
import { inspect, styleText } from "node:util";
import type { Failure, FileResult } from "./test-results.ts";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export function countsOf(results: readonly FileResult[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failures, skipped } of results) {
    counts.passed += passed;
    counts.failed += failures.length;
    counts.skipped += skipped;
  }
  return counts;
}

/** The line that scripts read: it contains nothing else. */
export const closingLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

export const isGood = (counts: Counts): boolean => counts.failed === 0 && counts.passed > 0;

export function fileReport(result: FileResult): string {
  const { file, passed, failures, skipped, skipReasons, output, durationMs } = result;
  const parts = [`${passed} passed`];
  if (failures.length > 0) parts.push(styleText("red", `${failures.length} failed`));
  if (skipped > 0) parts.push(styleText("yellow", `${skipped} skipped (${skipReasons.join("; ")})`));
  const time = styleText("dim", `${(durationMs / 1000).toFixed(1)} s`);
  const lines = [`${mark(failures.length === 0)} ${file}  ${parts.join(", ")}  ${time}`];
  for (const failure of failures) lines.push(failureReport(failure));
  if (failures.length > 0 && output.trim() !== "") lines.push(indent(`Its output:\n${indent(output.trimEnd())}`));
  return lines.join("\n");
}

export const mark = (good: boolean): string => (good ? styleText("green", "✔") : styleText("red", "✖"));

function failureReport({ name, error }: Failure): string {
  // What the test threw is wrapped in an error that only says that the test failed.
  const { cause } = error as { cause?: unknown };
  const thrown = cause instanceof Error ? cause : error;
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : inspect(thrown);
  return indent(`${styleText("red", name)}\n${indent(text)}`);
}

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");
