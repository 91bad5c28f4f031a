/** Trawl as a contender: the command line as users install and start it. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackage } from "../tools/install-package.ts";
import { type Contender, lastJsonLine } from "./contender.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const INSTALLED = fileURLToPath(new URL(".cache/trawl", import.meta.url));

/** The program as `prepare` installs it. */
export const INSTALLED_TRAWL = join(INSTALLED, "node_modules/trawl/bin/trawl.js");

/**
 * Without the audit, as no peer has one. `program` is another bin/trawl.js, of a checkout or a package, to compare two versions
 * of Trawl.
 */
export function trawl(program?: string): Contender {
  const started = program ?? INSTALLED_TRAWL;
  return {
    name: "trawl",
    prepare: async () => {
      if (program === undefined) await installPackage(INSTALLED);
      const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
      return `${version} (${execFileSync("git", ["-C", ROOT, "rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim()}), Node ${process.version}`;
    },
    command: ({ url, pages, parallelism, folder }) => ({
      file: process.execPath,
      arguments: [
        started,
        "crawl",
        url,
        "--parallelism",
        String(parallelism),
        "--max-urls",
        String(pages),
        "--no-audit",
        "--json",
      ],
      environment: { TRAWL_HOME: folder },
    }),
    outcome: (stdout) => {
      const { crawled, elapsedMs } = lastJsonLine(stdout);
      return { pages: Number(crawled), seconds: Number(elapsedMs) / 1000 };
    },
  };
}

/** As users run it: the audit follows the crawl. */
export function trawlAudited(program?: string): Contender {
  const plain = trawl(program);
  return {
    ...plain,
    name: "trawl-audited",
    command: (job) => {
      const command = plain.command(job);
      return { ...command, arguments: command.arguments.filter((argument) => argument !== "--no-audit") };
    },
  };
}
