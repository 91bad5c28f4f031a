/** Site structure: the folders of a site, as large as they have URLs, coloured by status, depth or findings. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Segmented } from "../../components/controls/input.tsx";
import { ExplorerLink } from "../../components/data/links.tsx";
import { EmptyState, Loaded, Note, Skeleton } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import type { Structure } from "../../lib/contract.ts";
import { plural } from "../../lib/format.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { COLOUR_WORDS, COLOURS, type Colour, legendOf, pathOf } from "./folder-look.ts";
import { FolderTable } from "./folder-table.tsx";
import { TreemapView } from "./treemap-view.tsx";
import "./structure-screen.css";

const FROM = "/crawls/$crawlId/structure";

export function StructureScreen() {
  const { crawl } = usePlace();
  const { folder = null, colour = "status" } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const structure = useQuery(queries.structure(useCrawlId(), folder));
  return (
    <Page
      title="Site structure"
      tabTitle={crawl === null ? "Site structure" : `Structure of ${unicodeHost(crawl.domain)}`}
      subtitle={<span>Every URL of the site that was fetched, by the folders of its address.</span>}
      actions={
        <Segmented<Colour>
          label="Colour by"
          value={colour}
          onValue={(value) => void navigate({ search: (before) => ({ ...before, colour: value }), replace: true })}
          options={COLOURS.map((value) => ({ value, label: COLOUR_WORDS[value].label }))}
        />
      }
    >
      <Loaded query={structure} skeleton={<Skeleton lines={12} />}>
        {(data) => (data.urls === 0 && folder === null ? <NothingYet /> : <Folders structure={data} colour={colour} />)}
      </Loaded>
    </Page>
  );
}

const NothingYet = () => (
  <EmptyState title="Nothing was fetched yet">Folders appear here once their URLs have been crawled.</EmptyState>
);

function Folders({ structure, colour }: { structure: Structure; colour: Colour }) {
  return (
    <>
      <Breadcrumbs structure={structure} />
      {colour === "issues" && !structure.wasAudited && (
        <Note>This crawl was not audited, so there are no findings to count.</Note>
      )}
      <Card isFlush className="structure-card">
        <TreemapView structure={structure} colour={colour} />
        <Legend colour={colour} />
      </Card>
      <Card title="Folders" isFlush>
        <FolderTable structure={structure} />
      </Card>
    </>
  );
}

function Breadcrumbs({ structure: { folder, urls, filter } }: { structure: Structure }) {
  const params = { crawlId: String(useCrawlId()) };
  const path = folder === null ? [] : pathOf(folder);
  return (
    <nav className="structure-path" aria-label="Folder">
      <Link to={FROM} params={params} search={(before) => ({ ...before, folder: undefined })}>
        Site
      </Link>
      {path.map((part, at) => (
        <span key={part.folder} className="structure-step">
          <span aria-hidden>/</span>
          {at === path.length - 1 ? (
            <span aria-current="page">{part.name}</span>
          ) : (
            <Link to={FROM} params={params} search={(before) => ({ ...before, folder: part.folder })}>
              {part.name}
            </Link>
          )}
        </span>
      ))}
      <span className="structure-open">
        <ExplorerLink filter={filter}>Open {plural(urls, "URL")} in the Explorer</ExplorerLink>
      </span>
    </nav>
  );
}

function Legend({ colour }: { colour: Colour }) {
  return (
    <p className="structure-legend">
      <span>{COLOUR_WORDS[colour].legend}:</span>
      {legendOf(colour).map(({ label, fill }) => (
        <span key={label} className="structure-key">
          <span className="structure-swatch" style={{ background: fill }} aria-hidden />
          {label}
        </span>
      ))}
    </p>
  );
}
