/** Start: an address to crawl, and the existing projects. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Button } from "../../components/controls/button.tsx";
import { ErrorState, Skeleton } from "../../components/feedback/states.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { Page } from "../../components/layout/page.tsx";
import { useInstallUpdate, useStartDemo } from "../../lib/changes.ts";
import { plural } from "../../lib/format.ts";
import { queries } from "../../lib/queries.ts";
import { ProjectCard } from "./project-card.tsx";
import { UrlBox } from "./url-box.tsx";
import "./start-screen.css";
import { useNavigate } from "@tanstack/react-router";
import { Activity, Globe, ListChecks, Sailboat } from "lucide-react";

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

/** A quiet note that a newer version of Trawl is available. */
export function UpdateNote() {
  const update = useQuery(queries.update()).data;
  const install = useInstallUpdate();
  const toast = useToast();
  if (update?.isNewer !== true) return null;
  if (install.isSuccess) {
    return (
      <p className="update-note" role="status">
        Updated to Trawl {install.data.updatedTo}. Restart Trawl to use it.
      </p>
    );
  }
  return (
    <div className="update-note">
      <p>
        Trawl {update.latest} is available; you have {update.current}.
        {update.command !== null && (
          <>
            {" "}
            Update with <code>{update.command}</code>, then restart Trawl.
          </>
        )}
      </p>
      {update.canInstall && (
        <Button
          isBusy={install.isPending}
          onClick={() => install.mutate(undefined, { onError: (error) => toast.fail(error) })}
        >
          Update now
        </Button>
      )}
    </div>
  );
}

const STEPS = [
  {
    icon: Globe,
    title: "Type an address",
    text: "Trawl follows links, reads sitemaps and robots.txt, and stays on the site.",
  },
  {
    icon: Activity,
    title: "Watch it live",
    text: "See speed, statuses, what each host is doing and why it waits. Pause whenever you like.",
  },
  {
    icon: ListChecks,
    title: "Ask anything",
    text: "Every URL is stored with its verdict and the rule behind it. Nothing leaves this machine.",
  },
];

/** For people without a site at hand: the bundled one, served by this machine. */
function DemoButton() {
  const start = useStartDemo();
  const toast = useToast();
  const navigate = useNavigate();
  const crawl = () =>
    start.mutate(undefined, {
      onSuccess: ({ crawlId }) => void navigate({ to: "/crawls/$crawlId/live", params: { crawlId: String(crawlId) } }),
      onError: (error) => toast.fail(error),
    });
  return (
    <p className="row welcome-demo">
      <Button icon={Sailboat} isBusy={start.isPending} onClick={crawl}>
        Crawl the demo site
      </Button>
      <span className="muted">
        A bundled website, needing no network: about 220 pages with typical problems, and two traps that never end.
      </span>
    </p>
  );
}

/** For first-time users: what to do, in three steps. */
export function Welcome() {
  return (
    <section className="welcome" aria-label="How it works">
      <ol className="cards">
        {STEPS.map(({ icon: Icon, title, text }) => (
          <li key={title} className="welcome-step">
            <Icon size={20} strokeWidth={1.6} aria-hidden />
            <h2>{title}</h2>
            <p className="muted">{text}</p>
          </li>
        ))}
      </ol>
      <DemoButton />
    </section>
  );
}
