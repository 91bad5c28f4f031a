/** The list of screens, for the sidebar, the bottom bar, the palette and the shortcuts. */
import {
  Activity,
  Archive,
  AtSign,
  CalendarClock,
  CalendarDays,
  CircleSlash,
  FolderTree,
  Gauge,
  GitCompareArrows,
  History,
  House,
  Link2,
  ListChecks,
  type LucideIcon,
  Network,
  Plus,
  Share2,
  SlidersHorizontal,
  SquareTerminal,
  Table2,
} from "lucide-react";
import type { Place } from "../lib/place.ts";

export interface Destination {
  id: string;
  label: string;
  icon: LucideIcon;
  /** The second key after `g`. */
  key: string;
  /** The path from the current place, or null if there isn't one. */
  path: (place: Place) => string | null;
  /** Shown in the bottom bar on narrow screens. */
  isMain?: boolean;
}

const ofCrawl =
  (screen: string) =>
  ({ landingCrawlId }: Place): string | null =>
    landingCrawlId === null ? null : `/crawls/${landingCrawlId}/${screen}`;
const ofProject =
  (screen: string) =>
  ({ projectId }: Place): string | null =>
    projectId === null ? null : `/projects/${projectId}/${screen}`;

export const GENERAL: readonly Destination[] = [
  { id: "start", label: "Start", icon: House, key: "s", path: () => "/", isMain: true },
  { id: "new", label: "New crawl", icon: Plus, key: "n", path: () => "/new" },
  { id: "schedules", label: "Schedules", icon: CalendarDays, key: "a", path: () => "/schedules" },
  { id: "archives", label: "Archives", icon: Archive, key: "r", path: () => "/archives" },
  { id: "fleets", label: "Fleets", icon: Network, key: "w", path: () => "/fleets" },
  { id: "atproto", label: "AT Protocol", icon: AtSign, key: "p", path: () => "/atproto" },
];

/** Screens of the current project and crawl, in menu order. */
export const WITHIN_PROJECT: readonly Destination[] = [
  { id: "issues", label: "Issues", icon: ListChecks, key: "i", path: ofCrawl("issues"), isMain: true },
  { id: "overview", label: "Overview", icon: Gauge, key: "o", path: ofCrawl("overview") },
  { id: "live", label: "Live", icon: Activity, key: "l", path: ofCrawl("live"), isMain: true },
  { id: "explorer", label: "Explorer", icon: Table2, key: "e", path: ofCrawl("explorer"), isMain: true },
  { id: "links", label: "Links", icon: Link2, key: "k", path: ofCrawl("links") },
  { id: "structure", label: "Structure", icon: FolderTree, key: "f", path: ofCrawl("structure") },
  { id: "sql", label: "SQL", icon: SquareTerminal, key: "q", path: ofCrawl("sql") },
  { id: "graph", label: "Graph", icon: Share2, key: "g", path: ofCrawl("graph") },
  { id: "decisions", label: "Decisions", icon: CircleSlash, key: "d", path: ofCrawl("decisions") },
  { id: "compare", label: "Compare", icon: GitCompareArrows, key: "m", path: ofCrawl("compare") },
  { id: "crawls", label: "Crawls", icon: History, key: "c", path: ofProject("crawls") },
  { id: "settings", label: "Settings", icon: SlidersHorizontal, key: "t", path: ofProject("settings") },
  { id: "schedule", label: "Schedule", icon: CalendarClock, key: "h", path: ofProject("schedule") },
];
