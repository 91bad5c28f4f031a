/**
 * Whether hosts of the site still accept TLS 1.0 or 1.1: this takes one more connection per host, over which nothing is
 * sent. The answers are stored as notes in the crawl's ledger, for the audit and so that a resumed crawl does not ask
 * again.
 */
import type { Note } from "../../kernel/ledger.ts";
import type { CrawlContext } from "../../kernel/product.ts";
import type { HttpClient } from "../../net/client.ts";
import { originOf } from "../../web/url.ts";

const PREFIX = "old-tls:";

export class OldTls {
  readonly #client: Pick<HttpClient, "acceptsOldTls">;
  readonly #asked = new Set<string>();

  constructor(client: Pick<HttpClient, "acceptsOldTls">) {
    this.#client = client;
  }

  recover({ key }: Note): void {
    if (key.startsWith(PREFIX)) this.#asked.add(key.slice(PREFIX.length));
  }

  /** Call it for URLs of the site that answered. */
  async learn(url: string, context: CrawlContext): Promise<void> {
    const origin = originOf(url);
    if (!origin.startsWith("https:") || this.#asked.has(origin)) return;
    this.#asked.add(origin);
    const isAccepted = await this.#client.acceptsOldTls(url, context.signal);
    if (isAccepted !== null) context.note({ key: PREFIX + origin, value: JSON.stringify({ isAccepted }) });
  }
}
