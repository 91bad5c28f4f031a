/** Ctrl-K: go to any screen, project or crawl, or crawl an address, by typing a few letters. */
import { type useNavigate as UseNavigate, useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useModal } from "../components/feedback/dialog.tsx";
import { crawlStateWords } from "../lib/status.ts";
import { unicodeHost } from "../lib/unicode-host.ts";
import { looksLikeUrl } from "../lib/web-link.ts";
import { rankAll } from "./rank.ts";
import "./command-palette.css";
import { useQuery } from "@tanstack/react-query";
import { Globe, History, Link2, type LucideIcon, Pause, Play, Radar } from "lucide-react";
import { usePauseToggle } from "../lib/changes.ts";
import { formatDateTime } from "../lib/format.ts";
import { usePlace } from "../lib/place.ts";
import { queries } from "../lib/queries.ts";
import { useRested } from "../lib/timing.ts";
import { GENERAL, WITHIN_PROJECT } from "./navigation.ts";

/** More results would not be read; typing another letter is faster. */
const SHOWN = 40;

export function CommandPalette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const navigate = useNavigate();
  const commands = useCommands();
  useModal(dialog, onClose);

  const found = [
    ...urlCommand(typed, navigate),
    ...rankAll(commands, ({ label, group }) => `${label} ${group}`, typed),
    ...useUrlCommands(typed),
  ].slice(0, SHOWN);
  const at = Math.min(chosen, found.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = (at + step + found.length) % found.length;
      setChosen(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[at]);
    }
  };
  return (
    <dialog ref={dialog} className="palette" aria-label="Command palette">
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        aria-label="Search screens, projects, crawls and URLs"
        placeholder="Screen, project, crawl or URL…"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="palette-list" role="listbox" id={`${id}-list`} aria-label="Commands" tabIndex={-1}>
        {found.map((command, index) => (
          <PaletteRow
            key={command.id}
            id={`${id}-${index}`}
            command={command}
            isChosen={index === at}
            isFirst={found[index - 1]?.group !== command.group}
            onPoint={() => setChosen(index)}
            onRun={() => run(command)}
          />
        ))}
        {found.length === 0 && <p className="palette-none">No matches.</p>}
      </div>
    </dialog>
  );
}

interface RowProps {
  id: string;
  command: Command;
  isChosen: boolean;
  /** The first of its group, under the group's name. */
  isFirst: boolean;
  onPoint: () => void;
  onRun: () => void;
}

function PaletteRow({ id, command, isChosen, isFirst, onPoint, onRun }: RowProps) {
  const { icon: Icon, label, hint, group } = command;
  return (
    <>
      {isFirst && (
        <p className="palette-group" role="presentation">
          {group}
        </p>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the box above, which keeps the focus. */}
      <div
        id={id}
        className="palette-row"
        role="option"
        aria-selected={isChosen}
        tabIndex={-1}
        onPointerMove={onPoint}
        onClick={onRun}
      >
        <Icon size={16} aria-hidden />
        <span className="cut grow">{label}</span>
        {hint && <span className="muted cut palette-hint">{hint}</span>}
      </div>
    </>
  );
}

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
            label: `${toggle.label} the crawl of ${unicodeHost(place.active?.domain ?? "")}`,
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
      label: unicodeHost(domain),
      icon: Globe,
      group: "Projects",
      run: go(`/projects/${id}`),
    })),
    ...crawls.map(({ id, domain, startedAt, state }) => ({
      id: `crawl-${id}`,
      label: `#${id} ${unicodeHost(domain)}, ${formatDateTime(startedAt)}`,
      hint: crawlStateWords(state).label,
      icon: History,
      group: "Crawls of this project",
      run: go(`/crawls/${id}/live`),
    })),
  ];
}

const FOUND_URLS = 8;

/** URLs of the current crawl, by address or title. */
function useUrlCommands(typed: string): Command[] {
  const { landingCrawlId: id, crawlId } = usePlace();
  const navigate = useNavigate();
  const search = useRested(typed.trim(), 150);
  const query = { fields: ["url", "title"], search, limit: FOUND_URLS };
  const { data } = useQuery({ ...queries.urls(id ?? 0, query), enabled: id !== null && search.length > 1 });
  if (data === undefined || id === null || typed.trim().length < 2) return [];
  return data.rows.map(({ url, title }) => ({
    id: `url-${url}`,
    label: String(url),
    hint: title === null || title === undefined ? undefined : String(title),
    group: `URLs of crawl #${id}`,
    icon: Link2,
    run: () => {
      const inspect = { inspect: String(url) };
      if (crawlId === id) void navigate({ to: ".", search: (before) => ({ ...before, ...inspect }) });
      else void navigate({ to: "/crawls/$crawlId/explorer", params: { crawlId: String(id) }, search: inspect });
    },
  }));
}

/** A typed address can be crawled. */
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
