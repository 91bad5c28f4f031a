/** Where the real PDS is: in a separate folder, because it has about 280 packages that nothing else needs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** `tools/services.ts` installs what `manifest` lists into `folder`. */
export const PDS_PACKAGE = {
  manifest: join(import.meta.dirname, "package"),
  folder: join(import.meta.dirname, "../../../node_modules/.cache/real-pds"),
};

/** Null when it is missing, incomplete, or not the listed version. */
export function installedPds({ manifest, folder } = PDS_PACKAGE): string | null {
  // Npm writes this one last.
  const isWhole = existsSync(join(folder, "node_modules/.package-lock.json"));
  return isWhole && listed(manifest) === listed(folder) ? folder : null;
}

const listed = (folder: string): string => readFileSync(join(folder, "package.json"), "utf8");
