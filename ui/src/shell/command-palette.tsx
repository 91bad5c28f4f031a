/** Ctrl-K: go to any screen, project or crawl, or crawl an address, by typing a few letters. */
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useModal } from "../components/dialog.tsx";
import { rankAll } from "../lib/rank.ts";
import { type Command, urlCommand, useCommands } from "./commands.ts";
import "./command-palette.css";

/** More than these are not read; another letter is quicker. */
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
        aria-label="Search screens, projects and crawls"
        placeholder="Screen, project, crawl or address…"
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
        {found.length === 0 && <p className="palette-none">Nothing is called that.</p>}
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
        {hint && <span className="muted">{hint}</span>}
      </div>
    </>
  );
}
