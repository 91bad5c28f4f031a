/** The version of Trawl, from package.json. */
import { readFileSync } from "node:fs";
import { PACKAGE_JSON } from "../package-root.ts";

export const version = (): string => (JSON.parse(readFileSync(PACKAGE_JSON, "utf8")) as { version: string }).version;
