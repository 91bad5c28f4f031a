/** Tests on the real engine: skipped where the optional package is not installed, except on CI, where they must run. */
import { test as nodeTest } from "node:test";

const isThere = (() => {
  try {
    return import.meta.resolve("chdb") !== "";
  } catch {
    return false;
  }
})();

export const needsChdb =
  isThere || process.env["CI"] === "true" ? {} : { skip: "chdb is not installed: npm install --no-save chdb" };

export const test = (name: string, run: () => Promise<void>): void => {
  void nodeTest(name, needsChdb, run);
};
