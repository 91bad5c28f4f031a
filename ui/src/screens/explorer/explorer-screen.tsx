/** Explorer: every URL of a crawl in a table that can be searched, filtered, sorted, arranged, saved and exported. */

import { useQuery } from "@tanstack/react-query";
import { Page } from "../../components/layout/page.tsx";
import { formatNumber } from "../../lib/format.ts";
import { usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { ColumnPicker } from "./column-picker.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { UrlGrid } from "./url-grid.tsx";
import { useUrlView } from "./view-control.ts";
import { ExportMenu, ViewsMenu } from "./views-menu.tsx";
import "./explorer-screen.css";

const NO_FIELDS: never[] = [];

export function ExplorerScreen() {
  const { crawl, crawlId } = usePlace();
  const fields = useQuery(queries.fields()).data ?? NO_FIELDS;
  const control = useUrlView();
  return (
    <Page
      width="full"
      title="Explorer"
      tabTitle={crawl === null ? "Explorer" : `Explorer of ${unicodeHost(crawl.domain)}`}
      subtitle={
        crawl && (
          <>
            <span>
              {unicodeHost(crawl.domain)}, crawl #{crawl.id}
            </span>
            <span>{formatNumber(crawl.discovered)} URLs found</span>
            <span>{formatNumber(crawl.crawled)} crawled</span>
          </>
        )
      }
      actions={
        <>
          <ViewsMenu control={control} />
          <ColumnPicker control={control} fields={fields} />
          <ExportMenu crawlId={crawlId ?? 0} control={control} />
        </>
      }
    >
      <div className="explorer">
        <FilterBar control={control} fields={fields} />
        <UrlGrid control={control} fields={fields} />
      </div>
    </Page>
  );
}
