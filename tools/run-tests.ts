/** Runs test files, each in its own process and with a time limit. */
import { globSync } from "node:fs";
import { normalize } from "node:path";
import { run } from "node:test";
import { ROOT } from "./command.ts";
import { type FileResult, FileResultBuilder, type TestEvent } from "./test-results.ts";

export interface RunTestsOptions {
  /** How many files run at once. */
  concurrency: number;
  /** Limit for one test, which is named when it takes longer. */
  testMs: number;
  /** Limit for one file: Node's runner waits forever for a file that leaves a socket or timer open. */
  fileMs: number;
  onFile: (result: FileResult) => void;
}

/** Files in the order of their patterns, each once, without installed packages. */
export function findTests(patterns: readonly string[]): string[] {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: ["**/node_modules/**"] }).sort());
  return [...new Set(files.map((file) => normalize(file).replaceAll("\\", "/")))];
}

export async function runTests(files: readonly string[], options: RunTestsOptions): Promise<FileResult[]> {
  const results: FileResult[] = [];
  const waiting = [...files];
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runFile(file, options);
      results.push(result);
      options.onFile(result);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return results;
}

async function runFile(file: string, { testMs, fileMs }: RunTestsOptions): Promise<FileResult> {
  const began = performance.now();
  const builder = new FileResultBuilder(file);
  const signal = AbortSignal.timeout(fileMs);
  for await (const event of run({ files: [file], cwd: ROOT, concurrency: 1, timeout: testMs, signal })) {
    builder.add(event as TestEvent);
  }
  return builder.finish(performance.now() - began);
}
