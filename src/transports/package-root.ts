/** The folder of the package: the first above this file with a package.json, in a checkout and in the built package. */
import { findPackageJSON } from "node:module";
import { dirname } from "node:path";

export const PACKAGE_JSON = findPackageJSON(import.meta.url)!;
export const PACKAGE_ROOT = dirname(PACKAGE_JSON);
