/** A question before something cannot be taken back. Anything but yes is no; so are Ctrl-C and the end of the input. */
import { createInterface } from "node:readline/promises";
import type { Terminal } from "./output/terminal.ts";

export async function confirmed({ stdin, stderr }: Terminal, question: string): Promise<boolean> {
  const questions = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<string>((resolve) => questions.once("close", () => resolve("")));
  const answer = await Promise.race([questions.question(question).catch(() => ""), closed]);
  questions.close();
  return /^y(es)?$/i.test(answer.trim());
}
