/** The images that a page uses: what describes them, whether they are there, and how large they are. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "../../components/controls/button.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../components/feedback/states.tsx";
import type { LinksPage, UrlDetail } from "../../lib/contract.ts";
import { formatBytes, plural } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { UrlStatus } from "../explorer/url-columns.tsx";
import { UrlLink } from "./inspect.tsx";

const COUNTED = {
  imagesNoAlt: "without an alt attribute",
  imagesEmptyAlt: "marked as decoration (empty alt)",
  imagesNoSize: "without width or height",
  imagesLazy: "loaded when they come into view",
} as const;

export function ImagesTab({ detail: { url, facts } }: { detail: UrlDetail }) {
  const images = useInfiniteQuery(queries.links(useCrawlId(), url, { direction: "out", type: "image" }));
  if (images.error !== null && images.data === undefined)
    return <ErrorState error={images.error} onRetry={() => void images.refetch()} />;
  if (images.data === undefined) return <Skeleton lines={6} />;
  const rows = images.data.pages.flatMap((page) => page.rows);
  if (rows.length === 0) return <EmptyState title="No images">The page uses none, or it is not HTML.</EmptyState>;
  const counts = Object.entries(COUNTED).flatMap(([name, words]) =>
    Number(facts[name]) > 0 ? [`${facts[name]} ${words}`] : [],
  );
  return (
    <div className="stack-tight">
      <p className="muted" role="status">
        {plural(images.data.pages[0]?.total ?? 0, "image address", "image addresses")} in the page, its styles and
        srcset
        {counts.length > 0 && `; of its img elements ${counts.join(", ")}`}
      </p>
      <ol className="links">
        {rows.map((image, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a page may use an image twice; the order never changes.
          <ImageItem key={at} image={image} />
        ))}
      </ol>
      {images.hasNextPage && (
        <Button isBusy={images.isFetchingNextPage} onClick={() => void images.fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}

function ImageItem({ image }: { image: LinksPage["rows"][number] }) {
  const { url, text, status, verdict, contentType, size, internal } = image;
  return (
    <li className="link-row">
      <span className="link-url">
        <UrlStatus row={{ status, verdict, error: null, state: null }} />
        <UrlLink url={url} />
      </span>
      <span className="link-about">
        {text === "" ? <span className="muted">no alt text</span> : <q className="link-text">{text}</q>}
        {contentType !== null && <span className="muted">{contentType}</span>}
        {size !== null && <span className="muted">{formatBytes(size)}</span>}
        {!internal && <Badge>external</Badge>}
      </span>
    </li>
  );
}
