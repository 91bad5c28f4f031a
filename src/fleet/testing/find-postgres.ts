/** Where the programs of a PostgreSQL server are: Debian keeps them out of the path, in a folder per version. */
import { accessSync, constants, readdirSync } from "node:fs";
import { join } from "node:path";

const DEBIAN = "/usr/lib/postgresql";
const OLDEST = 15;

/** The folder with `initdb` and `postgres` of the newest version; null if there is none that a fleet can use. */
export function findPostgres(root = DEBIAN): string | null {
  let versions: string[];
  try {
    versions = readdirSync(root);
  } catch {
    return null;
  }
  const usable = versions.filter((version) => Number(version) >= OLDEST).sort((a, b) => Number(b) - Number(a));
  return usable.map((version) => join(root, version, "bin")).find(hasServer) ?? null;
}

/** A folder may hold the client's programs alone. */
function hasServer(folder: string): boolean {
  try {
    for (const program of ["initdb", "postgres"]) accessSync(join(folder, program), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
