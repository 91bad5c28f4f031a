/** A stored page in a drawer: in a frame that runs and loads nothing, or as text, with what is known about its fetch. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CopyButton } from "../../components/controls/copy-button.tsx";
import { Segmented } from "../../components/controls/input.tsx";
import { RelativeTime, StatusBadge } from "../../components/data/labels.tsx";
import { OpenLink } from "../../components/data/links.tsx";
import { EmptyState, Loaded } from "../../components/feedback/states.tsx";
import { Drawer } from "../../components/layout/drawer.tsx";
import { formatBytes } from "../../lib/format.ts";
import { archiveQueries, type StoredPage, viewUrl } from "./archive-queries.ts";
import { isReadable } from "./archive-view.ts";
import { useView } from "./use-view.ts";

export function StoredPageDrawer({ id, page, sha }: { id: number; page: string; sha: string | undefined }) {
  const [, choose] = useView();
  const asked = sha ?? page;
  const stored = useQuery(archiveQueries.page(id, asked));
  return (
    <Drawer
      title={stored.data?.title || page}
      actions={<OpenLink url={page} />}
      onClose={() => choose({ page: undefined, sha: undefined })}
    >
      <Loaded query={stored}>{(data) => <Stored id={id} url={page} asked={asked} stored={data} />}</Loaded>
    </Drawer>
  );
}

function Stored({ id, url, asked, stored }: { id: number; url: string; asked: string; stored: StoredPage }) {
  const [look, setLook] = useState<"page" | "text">("page");
  return (
    <div className="archive-stored">
      <Facts url={url} stored={stored} />
      <Segmented label="Shown as" options={LOOKS} value={look} onValue={setLook} />
      {!isReadable(stored.fetched?.contentType) ? (
        <EmptyState title="This is not a page or text">
          <code>trawl archive cat</code> writes the file as it was stored.
        </EmptyState>
      ) : look === "page" ? (
        <>
          <iframe title={`Stored page ${url}`} className="archive-frame" sandbox="" src={viewUrl(id, asked)} />
          <p className="muted">
            Scripts do not run and nothing is loaded from the web, so styles and images of other files are missing.
          </p>
        </>
      ) : stored.text === "" ? (
        <EmptyState title="The page has no text" />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <pre className="archive-text" tabIndex={0}>
          {stored.text}
        </pre>
      )}
    </div>
  );
}

const LOOKS = [
  { value: "page", label: "Page" },
  { value: "text", label: "Text" },
] as const;

function Facts({ url, stored: { sha256, size, fetched } }: { url: string; stored: StoredPage }) {
  return (
    <dl className="archive-facts">
      <dt>URL</dt>
      <dd>{url}</dd>
      {fetched !== null && (
        <>
          <dt>Answer</dt>
          <dd>
            <StatusBadge status={fetched.status} /> {fetched.contentType}
          </dd>
          <dt>Fetched</dt>
          <dd>
            <RelativeTime at={fetched.fetchedAt} />
          </dd>
          <dt>Type</dt>
          <dd>
            {fetched.pageType}, depth {fetched.depth}
          </dd>
        </>
      )}
      <dt>Stored</dt>
      <dd>{formatBytes(size)}; its bytes match its SHA-256</dd>
      <dt>SHA-256</dt>
      <dd className="archive-sha">
        <code className="cut">{sha256}</code>
        <CopyButton text={sha256} label="Copy SHA-256" />
      </dd>
    </dl>
  );
}
