/** The text of a page as Markdown, and its HTML if the crawl stored it. Both are only ever shown as text. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { CopyButton } from "../../components/controls/copy-button.tsx";
import { Segmented } from "../../components/controls/input.tsx";
import { EmptyState, Loaded } from "../../components/feedback/states.tsx";
import type { UrlDetail } from "../../lib/contract.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";

/** More than this in one element makes a browser slow; copying takes all of it. */
const SHOWN_CHARACTERS = 200_000;

export function TextTab({ detail: { url, hasHtml, facts } }: { detail: UrlDetail }) {
  const [look, setLook] = useState<"text" | "source">("text");
  const [mayFetch, setMayFetch] = useState(false);
  if (!hasHtml && facts["verdict"] !== "crawl") {
    return <EmptyState title="No text">It was not crawled.</EmptyState>;
  }
  if (!hasHtml && !mayFetch) {
    return (
      <EmptyState
        title="The crawl did not store this page"
        action={<Button onClick={() => setMayFetch(true)}>Fetch it now</Button>}
      >
        To store the HTML of pages, turn on “Store HTML” in the settings. The button sends one request, after checking
        robots.txt.
      </EmptyState>
    );
  }
  return (
    <div className="stack-tight">
      {hasHtml && (
        <Segmented
          label="Show"
          value={look}
          onValue={setLook}
          options={[
            { value: "text", label: "Text as Markdown" },
            { value: "source", label: "Source" },
          ]}
        />
      )}
      {look === "text" ? <Markdown url={url} mayFetch={mayFetch} /> : <Source url={url} />}
    </div>
  );
}

function Markdown({ url, mayFetch }: { url: string; mayFetch: boolean }) {
  const text = useQuery(queries.pageText(useCrawlId(), url, mayFetch));
  return (
    <Loaded query={text}>
      {({ markdown, source }) => (
        <PlainText text={markdown} note={source === "stored" ? "as it was crawled" : "as it is now"} />
      )}
    </Loaded>
  );
}

function Source({ url }: { url: string }) {
  const source = useQuery(queries.pageSource(useCrawlId(), url));
  return <Loaded query={source}>{({ html }) => <PlainText text={html} note="as it was crawled" />}</Loaded>;
}

function PlainText({ text, note }: { text: string; note: string }) {
  if (text.trim() === "") return <EmptyState title="No text">The page has no visible text.</EmptyState>;
  const isCut = text.length > SHOWN_CHARACTERS;
  return (
    <>
      <div className="row-apart">
        <span className="muted">
          {plural(text.length, "character")}, {note}
          {isCut && `; the first ${formatNumber(SHOWN_CHARACTERS)} are shown`}
        </span>
        <CopyButton text={text} label="Copy all" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className="plain-text" tabIndex={0}>
        {isCut ? text.slice(0, SHOWN_CHARACTERS) : text}
      </pre>
    </>
  );
}
