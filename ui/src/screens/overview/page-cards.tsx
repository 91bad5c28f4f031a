/** Cards about pages: whether they are indexable, how deep they are, duplicates, and URL patterns that never end. */
import { BarList, Histogram, StackedBar } from "../../components/data/bars.tsx";
import { ExplorerLink } from "../../components/data/links.tsx";
import { Card } from "../../components/layout/page.tsx";
import type { Overview } from "../../lib/contract.ts";
import { plural } from "../../lib/format.ts";
import type { Tone } from "../../lib/status.ts";
import { urlParts } from "../../lib/web-link.ts";
import { indexabilityLabel } from "../../lib/words.ts";
import { depthBins, depthTitle } from "./overview-counts.ts";

const ANSWERS = [
  { name: "indexable", label: "Indexable", tone: "ok", glyph: "●" },
  { name: "notIndexable", label: "Not indexable", tone: "warn", glyph: "▲" },
] as const satisfies { name: string; label: string; tone: Tone; glyph: string }[];

/** Which pages search engines may index, and why not the others. */
export function IndexabilityCard({ overview: { numbers, indexability } }: { overview: Overview }) {
  return (
    <Card
      title="Indexability"
      info="Whether search engines may index a page, judged by its canonical and robots directives. Percentages are of pages."
      className="overview-third"
    >
      <div className="stack">
        <StackedBar
          label="Pages, indexable or not"
          parts={ANSWERS.map(({ name, ...part }) => ({
            ...part,
            id: name,
            value: numbers[name].count,
            name: (
              <ExplorerLink isPlain filter={numbers[name].filter}>
                {part.label}
              </ExplorerLink>
            ),
          }))}
        />
        {indexability.length === 0 ? (
          <p className="overview-none">Nothing keeps any page from being indexed.</p>
        ) : (
          <BarList
            whole={numbers.pages.count}
            bars={indexability.map(({ value, count, filter }) => ({
              id: String(value),
              label: (
                <ExplorerLink isPlain filter={filter}>
                  {indexabilityLabel(String(value))}
                </ExplorerLink>
              ),
              value: count,
              tone: "warn",
            }))}
          />
        )}
      </div>
    </Card>
  );
}

/** As many as fit on a phone. */
const MOST_DEPTHS = 12;

/** How far pages are from the start, and how they answer. */
export function DepthCard({ depths }: { depths: Overview["depths"] }) {
  return (
    <Card
      title="Depth"
      info="How many links from the start a page was first found, by status class. Images, styles, scripts and sitemaps are not counted. Visitors find deep pages late, too."
      className="overview-half"
    >
      <Histogram
        label="Crawled pages and links by depth"
        height={210}
        bins={depthBins(depths, MOST_DEPTHS).map((bin) => ({
          label: `${bin.from}${bin.isOpenEnded ? "+" : ""}`,
          value: bin.total,
          parts: bin.parts,
          title: depthTitle(bin),
          name: (
            <ExplorerLink isPlain filter={bin.filter}>
              {`${bin.from}${bin.isOpenEnded ? "+" : ""}`}
            </ExplorerLink>
          ),
        }))}
      />
    </Card>
  );
}

const GROUPS_SHOWN = 6;

/** Pages that share the same text. */
export function DuplicatesCard({
  duplicates: { groups, pages, filter: all, largest },
}: {
  duplicates: Overview["duplicates"];
}) {
  return (
    <Card
      title="Duplicates"
      info="Pages with the same visible text. Each bar is a group, named after its first page."
      className="overview-half"
    >
      {groups === 0 ? (
        <p className="overview-none">No two pages have the same text.</p>
      ) : (
        <div className="stack-tight">
          <p>
            <ExplorerLink isPlain filter={all} sort="contentHash">
              {plural(pages, "page")}
            </ExplorerLink>{" "}
            in {plural(groups, "duplicate group")}
          </p>
          <BarList
            bars={largest.slice(0, GROUPS_SHOWN).map(({ contentHash, count, example, filter }) => ({
              id: contentHash,
              label: (
                <ExplorerLink isPlain filter={filter}>
                  {urlParts(example).path}
                </ExplorerLink>
              ),
              value: count,
              tone: "warn",
              title: example,
            }))}
          />
        </div>
      )}
    </Card>
  );
}

/** URL patterns that multiply endlessly, where the crawl stopped following. */
export function TrapsCard({ traps }: { traps: Overview["traps"] }) {
  return (
    <Card
      title="Traps"
      info="Endless parts of the site that bring nothing new, and URLs of one pattern beyond a configured limit. Bars count the URLs that were not crawled."
      className="overview-half"
    >
      {traps.length === 0 ? (
        <p className="overview-none">Nothing endless was found.</p>
      ) : (
        <BarList
          bars={traps.map(({ value, count, filter, example }) => ({
            id: String(value),
            label: (
              <ExplorerLink isPlain filter={filter}>
                {shapeOf(String(value))}
              </ExplorerLink>
            ),
            value: count,
            tone: "quiet",
            title: `${shapeOf(String(value))}, such as ${example}`,
          }))}
        />
      )}
    </Card>
  );
}

/** The readable part of `maxUrlsPerPattern 10000: https://host/calendar/N`. */
const shapeOf = (rule: string): string => rule.replace(/^.*?: [a-z]+:\/\/[^/]*/, "") || rule;
