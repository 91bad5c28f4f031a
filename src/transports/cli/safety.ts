/** Before something cannot be undone: a question, and a file that is not overwritten by accident. */

import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { TrawlError } from "../../errors.ts";
import type { Terminal } from "./output/terminal.ts";

/** Anything but yes is no; so are Ctrl-C and the end of the input. */
export async function confirmed({ stdin, stderr }: Terminal, question: string): Promise<boolean> {
  const questions = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<string>((resolve) => questions.once("close", () => resolve("")));
  const answer = await Promise.race([questions.question(question).catch(() => ""), closed]);
  questions.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** Writes a file that a person named, and does not overwrite one that exists unless told to. */
export function writeNewFile(file: string, text: string, { force }: { force?: true }): void {
  try {
    writeFileSync(file, text, { flag: force ? "w" : "wx" });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === "EEXIST";
    if (exists) {
      throw new TrawlError("BAD_USAGE", `${file} exists already.`, { hint: "--force overwrites it." });
    }
    throw new TrawlError("FILE_NOT_WRITABLE", `${file} cannot be written: ${(error as Error).message}`);
  }
}
