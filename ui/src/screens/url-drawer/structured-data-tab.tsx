/** What a page describes for search engines: the types, what is wrong with them, and the JSON-LD itself where the HTML was stored. */
import { useQuery } from "@tanstack/react-query";
import { CopyButton } from "../../components/controls/copy-button.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { EmptyState } from "../../components/feedback/states.tsx";
import type { UrlDetail } from "../../lib/contract.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { jsonLdIn, problemWords } from "./structured-data.ts";

export function StructuredDataTab({ detail: { url, facts, hasHtml } }: { detail: UrlDetail }) {
  const source = useQuery({ ...queries.pageSource(useCrawlId(), url), enabled: hasHtml });
  const types = String(facts["structuredData"] ?? "");
  const problems = String(facts["structuredDataProblems"] ?? "");
  const blocks = source.data === undefined ? [] : jsonLdIn(source.data.html);
  if (types === "" && problems === "" && blocks.length === 0)
    return (
      <EmptyState title="No structured data">The page describes nothing in a form that search engines read.</EmptyState>
    );
  return (
    <div className="stack">
      {types !== "" && (
        <section>
          <h3>Types</h3>
          <p className="row">
            {types.split(", ").map((type) => (
              <Badge key={type} tone="accent">
                {type}
              </Badge>
            ))}
          </p>
        </section>
      )}
      <section>
        <h3>Problems</h3>
        {problems === "" ? (
          <p className="muted">None found.</p>
        ) : (
          <ul className="stack-tight">
            {problems.split("\n").map((line) => (
              <li key={line}>{problemWords(line)}</li>
            ))}
          </ul>
        )}
      </section>
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a page may say the same twice.
        <section key={at}>
          <div className="row-apart">
            <h3>JSON-LD{blocks.length > 1 && ` ${at + 1} of ${blocks.length}`}</h3>
            <CopyButton text={block} label="Copy" />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <pre className="plain-text" tabIndex={0}>
            {block}
          </pre>
        </section>
      ))}
      {!hasHtml && <p className="muted">The data itself is shown when the crawl stores HTML (setting “Store HTML”).</p>}
    </div>
  );
}
