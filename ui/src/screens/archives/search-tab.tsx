/** A search for words in the text of stored pages. */
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { SearchField } from "../../components/controls/search-box.tsx";
import { RelativeTime } from "../../components/data/labels.tsx";
import { EmptyState, Loaded } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import { formatNumber, plural } from "../../lib/format.ts";
import { archiveQueries, type Match } from "./archive-queries.ts";
import { snippetParts } from "./archive-view.ts";
import { useView } from "./use-view.ts";

export function SearchTab({ id }: { id: number }) {
  const [{ words }, choose] = useView();
  return (
    <div className="stack">
      <WordsBox key={words} words={words ?? ""} onWords={(chosen) => choose({ words: chosen })} />
      {words === undefined ? (
        <EmptyState icon={Search} title="Find words in the stored pages">
          All words must be there. "a phrase" in quotes, word* for its beginning, -word to leave out.
        </EmptyState>
      ) : (
        <Matches id={id} words={words} />
      )}
    </div>
  );
}

function WordsBox({ words, onWords }: { words: string; onWords: (words: string | undefined) => void }) {
  const [typed, setTyped] = useState(words);
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        onWords(typed.trim() === "" ? undefined : typed.trim());
      }}
    >
      <SearchField label="Words" value={typed} onValue={setTyped} />
      <Button type="submit">Search</Button>
    </form>
  );
}

function Matches({ id, words }: { id: number; words: string }) {
  const found = useQuery(archiveQueries.search(id, words));
  return (
    <Loaded query={found}>
      {({ total, rows: matches, indexedPages }) => (
        <Card
          isFlush
          title={matches.length < total ? `Best ${matches.length} of ${plural(total, "page")}` : plural(total, "page")}
          info={`Out of ${formatNumber(indexedPages)} with text.`}
        >
          {matches.length === 0 ? (
            <EmptyState title="No page has all of these words" />
          ) : (
            <ul className="archive-matches">
              {matches.map((match) => (
                <MatchRow key={match.url} match={match} />
              ))}
            </ul>
          )}
        </Card>
      )}
    </Loaded>
  );
}

function MatchRow({ match: { url, title, pageType, sha256, fetchedAt, snippet } }: { match: Match }) {
  const [, choose] = useView();
  return (
    <li>
      <button type="button" className="archive-link" onClick={() => choose({ page: url, sha: sha256 })}>
        {title || url}
      </button>
      <span className="muted cut" title={url}>
        {url}
      </span>
      <p>
        {snippetParts(snippet).map(({ text, isFound }, at) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text never change places.
          isFound ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>,
        )}
      </p>
      <span className="muted">
        {pageType} · <RelativeTime at={fetchedAt} />
      </span>
    </li>
  );
}
