/** Trawl as a contender: its command line, started as a person would. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Contender, lastJsonLine } from "./contender.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** `program` is another checkout's bin/trawl.js, to compare two states of Trawl. */
export function trawl(program = join(ROOT, "bin/trawl.js")): Contender {
  return {
    name: "trawl",
    prepare: async () => {
      const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
      return `${version} (${execFileSync("git", ["-C", ROOT, "rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim()}), Node ${process.version}`;
    },
    command: ({ url, pages, parallelism, folder }) => ({
      file: process.execPath,
      arguments: [program, "crawl", url, "--parallelism", String(parallelism), "--max-urls", String(pages), "--json"],
      environment: { TRAWL_HOME: folder },
    }),
    outcome: (stdout) => {
      const { crawled, elapsedMs } = lastJsonLine(stdout);
      return { pages: Number(crawled), seconds: Number(elapsedMs) / 1000 };
    },
  };
}
