/** Runs test files, each in a process of its own and with a limit on its time. */
import { globSync } from "node:fs";
import { normalize } from "node:path";
import { run } from "node:test";
import { ROOT } from "./command.ts";
import { type FileResult, FileResultBuilder, type TestEvent } from "./test-results.ts";

export interface RunTestsOptions {
  /** Files at once. */
  concurrency: number;
  /** One test. It is named when it takes longer. */
  testMs: number;
  /** One file, whatever keeps it: Node's own runner waits for ever for a file that leaves a socket or timer open. */
  fileMs: number;
  onFile: (result: FileResult) => void;
}

/** Files in the order of their patterns, each once, without what is installed. */
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
