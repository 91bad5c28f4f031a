/** Writes a file that a person named, and not over one that is there unless told to. */
import { writeFileSync } from "node:fs";
import { TrawlError } from "../../errors.ts";

export function writeNewFile(file: string, text: string, { force }: { force?: true }): void {
  try {
    writeFileSync(file, text, { flag: force ? "w" : "wx" });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === "EEXIST";
    if (exists) throw new TrawlError("BAD_USAGE", `${file} is there already; --force writes over it.`);
    throw new TrawlError("FILE_NOT_WRITABLE", `${file} cannot be written: ${(error as Error).message}`);
  }
}
