/** Which project one is in, and the way to another. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown, House, Plus } from "lucide-react";
import { Menu } from "../components/menu.tsx";
import { SiteIcon } from "../components/site-icon.tsx";
import { usePlace } from "../lib/place.ts";
import { queries } from "../lib/queries.ts";

/** More than these are found on the start screen and in the palette. */
const LISTED = 12;

export function ProjectSwitcher() {
  const { project } = usePlace();
  const projects = useQuery(queries.projects()).data ?? [];
  const navigate = useNavigate();
  return (
    <Menu
      label="Switch project"
      look="quiet"
      className="project-switcher"
      items={[
        ...projects.slice(0, LISTED).map(({ id, domain }) => ({
          id: String(id),
          label: domain,
          isChosen: id === project?.id,
          onSelect: () => void navigate({ to: "/projects/$projectId", params: { projectId: String(id) } }),
        })),
        {
          id: "all",
          label: "All projects",
          icon: House,
          isApart: projects.length > 0,
          onSelect: () => void navigate({ to: "/" }),
        },
        { id: "new", label: "New crawl", icon: Plus, onSelect: () => void navigate({ to: "/new" }) },
      ]}
    >
      {project === null ? (
        <span className="cut grow">All projects</span>
      ) : (
        <>
          <SiteIcon domain={project.domain} path={project.faviconPath} size={18} />
          <span className="cut grow">{project.domain}</span>
        </>
      )}
      <ChevronsUpDown size={14} aria-hidden />
    </Menu>
  );
}
