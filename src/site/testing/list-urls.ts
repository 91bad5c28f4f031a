/** A whole list of URLs, as one array. */
import type { Row, SiteReader, UrlQuery } from "../store/reader.ts";
import { SiteView } from "../store/view.ts";

export function listUrls(reader: SiteReader, asked: Partial<UrlQuery> = {}): Row[] {
  const { fields = ["url"], filters = [], search = null, sort = null } = asked;
  const view = SiteView.open(reader, { filters, search, sort });
  return view.rows(fields, 0, view.total);
}
