/** Finds the code samples and links in the documentation, so that tests can try them. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ROOT } from "./command.ts";

/** Every Markdown page that people read, as a path from the root of the repository. */
export function documentationPages(): string[] {
  return globSync(["*.md", "docs/**/*.md", "{src,test,examples,bench,tools}/**/README.md"], {
    cwd: ROOT,
    exclude: (path) => path === "node_modules",
  })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}

export const readPage = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The code blocks of one language. */
export function samplesOf(markdown: string, language: string): string[] {
  const blocks = markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...blocks].filter(([, written]) => written === language).map(([, , text]) => text!);
}

export interface PageLink {
  /** From the root of the repository. */
  target: string;
  /** The heading on that page; null for the page itself. */
  heading: string | null;
}

/** Links to other files of the repository. */
export function localLinks(path: string, markdown: string): PageLink[] {
  const prose = markdown.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, href]) => href!)
    .filter((href) => !/^[a-z]+:/i.test(href))
    .map((href) => {
      const [file, heading] = href.split("#");
      const target = file === "" ? path : normalize(join(dirname(path), file!)).replaceAll("\\", "/");
      return { target, heading: heading ?? null };
    });
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): Set<string> {
  const headings = markdown.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, text]) =>
      text!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
