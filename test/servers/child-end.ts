/** The end of a child process, with its last output. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

export async function childEnd(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  return { code: child.exitCode, said };
}
