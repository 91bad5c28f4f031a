/** Why a page is not indexable, in a sentence. */
import type { Indexability } from "../../../../src/site/indexability.ts";

const SENTENCES: Record<Indexability, string> = {
  no_response: "There was no answer, so there is nothing to show.",
  redirect: "It redirects; search engines keep the page that it leads to.",
  client_error: "It answered with an error of the 400s.",
  server_error: "It answered with an error of the 500s.",
  robots_disallow: "robots.txt does not allow it to be read.",
  noindex_header: "Its X-Robots-Tag header says noindex.",
  noindex_meta: "Its robots meta element says noindex.",
  canonicalised: "It names another page as its canonical one.",
};

/** A reason that is not known here is shown as it came. */
export const indexabilitySentence = (reason: string): string => SENTENCES[reason as Indexability] ?? reason;
