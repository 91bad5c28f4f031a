/** The sidebar of wide screens: mark, project, screens, and what concerns the whole app. */
import { Link } from "@tanstack/react-router";
import { Keyboard } from "lucide-react";
import { IconButton } from "../components/button.tsx";
import { Tooltip } from "../components/tooltip.tsx";
import { usePlace } from "../lib/place.ts";
import { type Destination, GENERAL, WITHIN_PROJECT } from "./navigation.ts";
import { useNewsMode } from "./news.tsx";
import { ProjectSwitcher } from "./project-switcher.tsx";
import { ThemeMenu } from "./theme-menu.tsx";
import "./sidebar.css";

export function Sidebar({ onHelp }: { onHelp: () => void }) {
  const place = usePlace();
  return (
    <aside className="sidebar">
      <Link to="/" className="mark">
        <img src="/icon.svg" alt="" width={24} height={24} />
        Trawl
      </Link>
      <nav aria-label="Main">
        <NavList destinations={GENERAL} />
        <ProjectSwitcher />
        {place.projectId !== null && <NavList destinations={WITHIN_PROJECT} />}
      </nav>
      <footer className="sidebar-foot">
        <ThemeMenu />
        <IconButton label="Keyboard shortcuts" icon={Keyboard} onClick={onHelp} />
        <NewsNote />
      </footer>
    </aside>
  );
}

export function NavList({ destinations }: { destinations: readonly Destination[] }) {
  const place = usePlace();
  return (
    <ul className="nav-list">
      {destinations.map((destination) => {
        const path = destination.path(place);
        if (path === null) return null;
        const Icon = destination.icon;
        return (
          <li key={destination.id}>
            <Link to={path} className="nav-link" activeOptions={{ exact: true, includeSearch: false }}>
              <Icon size={16} aria-hidden />
              {destination.label}
              {destination.id === "live" && place.active?.state === "running" && (
                <span className="running-dot badge-pulse" role="img" aria-label="running" />
              )}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

/** Says quietly that the stream of events does not hold; everything works, a little later. */
function NewsNote() {
  if (useNewsMode() !== "polling") return null;
  return (
    <Tooltip text="Live updates are interrupted. Asking every 2 seconds until they are back.">
      <span className="news-note">Polling</span>
    </Tooltip>
  );
}
