/** A crawl with its results, in the words of the API that this one continues. */
import type { Row } from "../../site/store/reader.ts";
import type { CrawlResults } from "../operations/crawls.ts";

export const RESULT_FIELDS = [
  ...["url", "status", "title", "description", "contentHash", "indexable", "contentType", "error", "fetchedAt"],
];

const INDEXABLE = new Map<unknown, string>([
  [true, "Yes"],
  [false, "No"],
  [null, "-"],
]);

export function resultRow({ description, indexable, fetchedAt, ...row }: Row) {
  return {
    ...row,
    visited: fetchedAt !== null,
    metaDescription: description,
    indexable: INDEXABLE.get(indexable),
  } as unknown as CrawlResults["results"][number];
}
