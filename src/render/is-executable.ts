/** Whether a path is a program that we may run. */
import { accessSync, constants, statSync } from "node:fs";

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // A folder may be "executable" too.
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
