/** Downloads an export of a crawl. The server streams and names it; nothing is kept in memory here. */
import { apiUrl, type Query } from "./api.ts";

export function download(crawlId: number, query: Query): void {
  const link = document.createElement("a");
  link.href = apiUrl(`/crawls/${crawlId}/export`, query);
  // The server names the file; the attribute only keeps the browser on the page.
  link.download = "";
  link.click();
}
