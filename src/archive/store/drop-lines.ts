/** Removes lines from a file, after copying those worth keeping elsewhere. */
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder, replaceFile } from "../../storage/durable.ts";
import type { FileSystem } from "../../storage/file-system.ts";
import { readLines, readRange } from "../../storage/read-lines.ts";

/** Appends, because the ledger's repair may have written to the same file in the same second. */
export async function saveLines(path: string, numbers: Set<number>, target: string, fs: FileSystem): Promise<void> {
  await makeFolder(dirname(target), fs);
  const source = await open(path, "r");
  const file = await fs.open(target, "a");
  try {
    for await (const line of readLines(path)) {
      if (!numbers.has(line.number)) continue;
      for await (const part of readRange(source, line.offset, line.length)) await file.writeFile(part);
      await file.writeFile("\n");
    }
    await file.sync();
  } finally {
    await source.close();
    await file.close();
  }
  await fs.syncFolder(dirname(target));
}

/** The file is replaced as a whole or not at all. */
export async function dropLines(path: string, numbers: Set<number>, fs: FileSystem): Promise<void> {
  const source = await open(path, "r");
  try {
    const { mode } = await source.stat();
    await replaceFile(
      path,
      async (handle) => {
        // Neighbouring lines are copied together.
        let from = 0;
        let end = 0;
        const copy = async (): Promise<void> => {
          for await (const part of readRange(source, from, end - from)) await handle.writeFile(part);
        };
        for await (const line of readLines(path)) {
          const next = line.offset + line.length + 1;
          if (numbers.has(line.number)) {
            await copy();
            from = next;
          }
          end = next;
        }
        await copy();
      },
      { permissions: mode & 0o777, fs },
    );
  } finally {
    await source.close();
  }
}
