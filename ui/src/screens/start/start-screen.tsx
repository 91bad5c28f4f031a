/** Start: an address to crawl, and the projects that there are. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Page } from "../../components/page.tsx";
import { ErrorState, Skeleton } from "../../components/states.tsx";
import { plural } from "../../lib/format.ts";
import { queries } from "../../lib/queries.ts";
import { ProjectCard } from "./project-card.tsx";
import { UpdateNote } from "./update-note.tsx";
import { UrlBox } from "./url-box.tsx";
import { Welcome } from "./welcome.tsx";
import "./start-screen.css";

export function StartScreen() {
  const projects = useQuery(queries.projects());
  const active = useQuery(queries.activeCrawls()).data;
  const running = useMemo(() => new Map(active?.map((crawl) => [crawl.projectId, crawl])), [active]);
  return (
    <Page
      title="Crawl a website"
      tabTitle="Start"
      subtitle="See every page, link and problem of a site, and what changed since last time."
    >
      <UrlBox />
      <UpdateNote />
      {projects.isPending && (
        <div className="cards">
          <div className="project-card">
            <Skeleton />
          </div>
        </div>
      )}
      {projects.isError && projects.data === undefined && (
        <ErrorState error={projects.error} onRetry={() => void projects.refetch()} />
      )}
      {projects.data?.length === 0 && <Welcome />}
      {projects.data !== undefined && projects.data.length > 0 && (
        <section className="stack-tight" aria-labelledby="projects">
          <h2 id="projects">
            Projects <span className="muted start-count">{plural(projects.data.length, "site")}</span>
          </h2>
          <ul className="cards">
            {projects.data.map((project) => (
              <ProjectCard key={project.id} project={project} active={running.get(project.id) ?? null} />
            ))}
          </ul>
        </section>
      )}
    </Page>
  );
}
