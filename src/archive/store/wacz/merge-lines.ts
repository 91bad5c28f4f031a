/** Merges files of sorted lines into one sorted stream; memory for one line a file. */
import { type Line, readLines } from "../../../storage/read-lines.ts";

interface Source {
  line: string;
  rest: AsyncGenerator<Line>;
}

/** Equal lines come once. Code units are compared: the keys are ASCII, for which that is the order of their bytes. */
export async function* mergeLines(paths: readonly string[]): AsyncGenerator<string> {
  let sources: Source[] = [];
  for (const path of paths) {
    const source = { line: "", rest: readLines(path) };
    if (await advance(source)) sources.push(source);
  }
  let previous: string | null = null;
  try {
    while (sources.length > 0) {
      // There are as many sources as gigabytes: a search through all is cheap beside reading a line.
      const least = sources.reduce((best, source) => (source.line < best.line ? source : best));
      if (least.line !== previous) yield least.line;
      previous = least.line;
      if (!(await advance(least))) sources = sources.filter((source) => source !== least);
    }
  } finally {
    for (const { rest } of sources) await rest.return(undefined);
  }
}

async function advance(source: Source): Promise<boolean> {
  const { value, done } = await source.rest.next();
  if (done || value.flaw !== null) return false;
  source.line = value.bytes.toString();
  return true;
}
