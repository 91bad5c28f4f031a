/** A repo of the archive: its collections, and its records as they are stored. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { CopyButton } from "../../components/controls/copy-button.tsx";
import { SearchField } from "../../components/controls/search-box.tsx";
import { BarList } from "../../components/data/bars.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge, RelativeTime } from "../../components/data/labels.tsx";
import { EmptyState, ErrorState, Loaded, Note, ShowMore, Skeleton } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import { plural } from "../../lib/format.ts";
import { prettyJson } from "./archive-view.ts";
import { atprotoQueries, type Repo, type Repos } from "./atproto-queries.ts";
import { useView } from "./use-view.ts";

export function ReposTab({ id }: { id: number }) {
  const [{ did }, choose] = useView();
  return (
    <div className="stack">
      <DidBox key={did} did={did ?? ""} onDid={(chosen) => choose({ did: chosen, collection: undefined })} />
      {did === undefined ? <FirstRepos id={id} /> : <OneRepo id={id} did={did} />}
    </div>
  );
}

function DidBox({ did, onDid }: { did: string; onDid: (did: string | undefined) => void }) {
  const [typed, setTyped] = useState(did);
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        onDid(typed.trim() === "" ? undefined : typed.trim());
      }}
    >
      <SearchField label="DID of an account" placeholder="did:plc:…" value={typed} onValue={setTyped} />
      <Button type="submit">Show repo</Button>
    </form>
  );
}

function FirstRepos({ id }: { id: number }) {
  const repos = useQuery(atprotoQueries.repos(id));
  const [, choose] = useView();
  const columns: readonly Column<Repos["rows"][number]>[] = [
    {
      id: "did",
      head: "Account",
      isRest: true,
      cell: ({ did }) => (
        <button type="button" className="atproto-link" onClick={() => choose({ did, collection: undefined })}>
          <code>{did}</code>
        </button>
      ),
    },
    { id: "rev", head: "Revision", cell: ({ rev }) => <code>{rev}</code> },
    { id: "at", head: "Stored", cell: ({ learntAt }) => <RelativeTime at={learntAt} /> },
  ];
  return (
    <Loaded query={repos}>
      {({ rows, total }) => (
        <Card
          isFlush
          title={rows.length < total ? `The first ${rows.length} stored repos` : plural(rows.length, "repo")}
          info="In the order of the catalogue. You can find any other by its DID."
        >
          <DataTable
            caption="Repos of the archive"
            columns={columns}
            rows={rows}
            rowKey={({ did }) => did}
            empty={
              <EmptyState title="The catalogue is empty">
                Repos are found by their DID all the same. <code>trawl atproto index</code> makes the catalogue.
              </EmptyState>
            }
          />
        </Card>
      )}
    </Loaded>
  );
}

function OneRepo({ id, did }: { id: number; did: string }) {
  const repo = useQuery(atprotoQueries.repo(id, did));
  return (
    <Loaded query={repo}>
      {(data) => (
        <>
          {data.accountStatus !== null && (
            <Note tone="warn">This account is not active: {data.accountStatus}. What it wrote is stored.</Note>
          )}
          {data.damage.map((line) => (
            <Note key={line} tone="bad">
              {line}
            </Note>
          ))}
          <div className="atproto-repo">
            <RepoCard repo={data} />
            <RecordsCard id={id} repo={data} />
          </div>
        </>
      )}
    </Loaded>
  );
}

function RepoCard({ repo }: { repo: Repo }) {
  const [{ collection }, choose] = useView();
  return (
    <Card title={plural(repo.records, "record")} actions={<CopyButton text={repo.did} label="Copy DID" />}>
      <div className="stack">
        <dl className="atproto-facts">
          <dt>Account</dt>
          <dd>
            <code>{repo.did}</code>
          </dd>
          <dt>Server</dt>
          <dd>{repo.pds}</dd>
          <dt>Revision</dt>
          <dd>
            <code>{repo.rev}</code>
          </dd>
          <dt>Fetched</dt>
          <dd>
            <RelativeTime at={repo.crawledAt} />
          </dd>
        </dl>
        <BarList
          bars={repo.collections.map(({ name, records }) => ({
            id: name,
            value: records,
            title: name,
            label: (
              <button
                type="button"
                className="atproto-link"
                aria-pressed={collection === name}
                onClick={() => choose({ collection: collection === name ? undefined : name })}
              >
                {name}
              </button>
            ),
          }))}
        />
      </div>
    </Card>
  );
}

function RecordsCard({ id, repo }: { id: number; repo: Repo }) {
  const [{ collection }] = useView();
  const records = useInfiniteQuery(atprotoQueries.records(id, repo.did, collection));
  const rows = records.data?.pages.flatMap((page) => page.rows) ?? [];
  const total = repo.collections.find(({ name }) => name === collection)?.records ?? repo.records;
  return (
    <Card isFlush title={collection ?? "All records"}>
      {records.error !== null && records.data === undefined ? (
        <ErrorState error={records.error} onRetry={() => void records.refetch()} />
      ) : records.data === undefined ? (
        <Skeleton lines={8} />
      ) : rows.length === 0 ? (
        <EmptyState title="No records" />
      ) : (
        <ul className="atproto-records">
          {rows.map((row) => (
            <li key={`${row.collection}/${row.rkey}`}>
              <details>
                <summary>
                  <code>{row.rkey}</code>
                  {collection === undefined && <Badge>{row.collection}</Badge>}
                  <span className="cut muted">{row.json}</span>
                </summary>
                <pre>{prettyJson(row.json)}</pre>
              </details>
            </li>
          ))}
        </ul>
      )}
      <ShowMore
        shown={rows.length}
        total={total}
        of="records"
        hasMore={records.hasNextPage}
        isBusy={records.isFetchingNextPage}
        onMore={() => void records.fetchNextPage()}
      />
    </Card>
  );
}
