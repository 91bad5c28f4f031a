/** What the command palette offers. */
import { useQuery } from "@tanstack/react-query";
import { type useNavigate as UseNavigate, useNavigate } from "@tanstack/react-router";
import { Globe, History, type LucideIcon, Pause, Play, Radar } from "lucide-react";
import { formatDateTime } from "../lib/format.ts";
import { usePauseToggle } from "../lib/pause-toggle.ts";
import { usePlace } from "../lib/place.ts";
import { queries } from "../lib/queries.ts";
import { looksLikeUrl } from "../lib/rank.ts";
import { GENERAL, WITHIN_PROJECT } from "./navigation.ts";

export interface Command {
  id: string;
  label: string;
  group: string;
  hint?: string;
  icon: LucideIcon;
  run: () => void;
}

type Navigate = ReturnType<typeof UseNavigate>;

export function useCommands(): Command[] {
  const navigate = useNavigate();
  const place = usePlace();
  const toggle = usePauseToggle(place.active);
  const projects = useQuery(queries.projects()).data ?? [];
  const { projectId } = place;
  const crawls = useQuery({ ...queries.projectCrawls(projectId ?? 0), enabled: projectId !== null }).data ?? [];
  const go = (to: string) => () => void navigate({ to });

  const screens = [...WITHIN_PROJECT, ...GENERAL].flatMap(({ id, label, icon, path }): Command[] => {
    const to = path(place);
    return to === null ? [] : [{ id: `screen-${id}`, label, icon, group: "Screens", run: go(to) }];
  });
  const steering: Command[] =
    toggle === null
      ? []
      : [
          {
            id: "toggle",
            label: `${toggle.label} the crawl of ${place.active?.domain}`,
            icon: toggle.label === "Pause" ? Pause : Play,
            group: "Crawl",
            run: toggle.run,
          },
        ];
  return [
    ...steering,
    ...screens,
    ...projects.map(({ id, domain }) => ({
      id: `project-${id}`,
      label: domain,
      icon: Globe,
      group: "Projects",
      run: go(`/projects/${id}`),
    })),
    ...crawls.map(({ id, domain, crawlDateTime, state }) => ({
      id: `crawl-${id}`,
      label: `#${id} ${domain}, ${formatDateTime(crawlDateTime)}`,
      hint: state,
      icon: History,
      group: "Crawls of this project",
      run: go(`/crawls/${id}/live`),
    })),
  ];
}

/** An address that was typed can be crawled. */
export const urlCommand = (typed: string, navigate: Navigate): Command[] =>
  looksLikeUrl(typed)
    ? [
        {
          id: "crawl-url",
          label: `Crawl ${typed.trim()}`,
          icon: Radar,
          group: "New crawl",
          run: () => void navigate({ to: "/new", search: { url: typed.trim() } }),
        },
      ]
    : [];
