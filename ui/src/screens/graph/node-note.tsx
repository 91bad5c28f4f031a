/** What the page under the pointer is. */
import { StatusBadge } from "../../components/badge.tsx";
import { UrlText } from "../../components/url-text.tsx";
import { formatNumber } from "../../lib/format.ts";
import type { GraphNode } from "./graph-model.ts";

export function NodeNote({ node: { url, title, status, depth, linksIn, linksOut } }: { node: GraphNode }) {
  return (
    <div className="node-note">
      <div className="row">
        <StatusBadge status={status} />
        <strong className="cut grow">{title ?? "No title"}</strong>
      </div>
      <UrlText url={url} />
      <span className="muted">
        {formatNumber(linksIn)} links in · {formatNumber(linksOut)} out · depth {depth}
      </span>
    </div>
  );
}
