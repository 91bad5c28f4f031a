/** The folders of a site as nested rectangles: as large as they have URLs. For the eye and the mouse; the table next to it has the same for everyone. */
import { Link } from "@tanstack/react-router";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { Structure, StructureEntry } from "../../lib/contract.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { type Colour, density, fillOf } from "./folder-look.ts";
import { type Box, type Tile, treemap } from "./treemap.ts";

/** The line with the name of a folder, and the gap around what is in it. */
const HEAD = 20;
const GAP = 2;
/** Smaller than this, no text can be read. */
const MIN_LABEL = { width: 46, height: 18 };

interface TreemapViewProps {
  structure: Structure;
  colour: Colour;
}

export function TreemapView({ structure, colour }: TreemapViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setSize({ width, height });
    });
    watch.observe(frame.current!);
    return () => watch.disconnect();
  }, []);
  const tiles = treemap(structure.children, ({ urls }) => urls, { x: 0, y: 0, ...size });
  return (
    <div className="treemap" ref={frame} aria-hidden="true">
      {tiles.map((tile) => (
        <Folder key={`${tile.item.kind} ${tile.item.folder}`} tile={tile} colour={colour} />
      ))}
    </div>
  );
}

type Child = Structure["children"][number];

function Folder({ tile, colour }: { tile: Tile<Child>; colour: Colour }) {
  const { item } = tile;
  const inner: Box = { x: GAP, y: HEAD, width: tile.width - 2 * GAP, height: tile.height - HEAD - GAP };
  const isNested = item.children.length > 1 && inner.width > 60 && inner.height > 40;
  if (!isNested) return <Leaf tile={tile} colour={colour} />;
  return (
    <div className="treemap-folder" style={placeOf(tile)}>
      <FolderLink entry={item} className="treemap-head">
        <span className="cut">{entryName(item)}</span> <span className="muted">{formatNumber(item.urls)}</span>
      </FolderLink>
      {treemap(item.children, ({ urls }) => urls, inner).map((child) => (
        <Leaf key={`${child.item.kind} ${child.item.folder}`} tile={child} colour={colour} />
      ))}
    </div>
  );
}

function Leaf({ tile, colour }: { tile: Tile<StructureEntry>; colour: Colour }) {
  const { item, width, height } = tile;
  const hasLabel = width > MIN_LABEL.width && height > MIN_LABEL.height;
  return (
    <FolderLink entry={item} className="treemap-leaf" style={{ ...placeOf(tile), background: fillOf(item, colour) }}>
      {hasLabel && <span className="treemap-label cut">{entryName(item)}</span>}
    </FolderLink>
  );
}

const placeOf = ({ x, y, width, height }: Box) => ({
  left: x,
  top: y,
  width: Math.max(1, width - 1),
  height: Math.max(1, height - 1),
});

interface FolderLinkProps {
  entry: StructureEntry;
  className: string;
  style?: React.CSSProperties;
  children: ReactNode;
}

/** A folder is gone into; URLs without folders between them open in the Explorer. */
function FolderLink({ entry, className, style, children }: FolderLinkProps) {
  const params = { crawlId: String(useCrawlId()) };
  const shared = { params, className, style, title: about(entry), tabIndex: -1 };
  return entry.kind === "folder" ? (
    <Link to="/crawls/$crawlId/structure" search={(before) => ({ ...before, folder: entry.folder })} {...shared}>
      {children}
    </Link>
  ) : (
    <Link to="/crawls/$crawlId/explorer" search={{ filter: entry.filter }} {...shared}>
      {children}
    </Link>
  );
}

export const entryName = ({ kind, name, folders }: StructureEntry): string =>
  kind === "folder" ? `${name}/` : kind === "here" ? "Directly here" : plural(folders, "smaller folder");

function about(entry: StructureEntry): string {
  const broken = entry.clientError + entry.serverError + entry.noAnswer;
  return [
    entry.kind === "folder" ? entry.folder : entryName(entry),
    plural(entry.urls, "URL"),
    `${formatNumber(broken)} broken`,
    entry.depth === null ? null : `depth ${entry.depth} on average`,
    `${density(entry).toFixed(1)} findings per URL`,
  ]
    .filter(Boolean)
    .join("\n");
}
