/** Tabs: arrow keys move between them, and the panel follows. */
import { type KeyboardEvent, type ReactNode, useId } from "react";
import "./tabs.css";

export interface Tab<Id extends string> {
  id: Id;
  label: string;
  /** A small number next to the label. */
  count?: string;
  panel: () => ReactNode;
}

export interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly Tab<Id>[];
  chosen: Id;
  onChoose: (id: Id) => void;
}

export function Tabs<Id extends string>({ label, tabs, chosen, onChoose }: TabsProps<Id>) {
  const base = useId();
  const current = tabs.find(({ id }) => id === chosen) ?? tabs[0]!;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const at = tabs.indexOf(current);
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const tab = tabs[(next + tabs.length) % tabs.length]!;
    onChoose(tab.id);
    document.getElementById(`${base}-${tab.id}`)?.focus();
  };
  return (
    <div className="tabs">
      <div className="tabs-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-${tab.id}`}
            className="tabs-tab"
            aria-selected={tab === current}
            aria-controls={`${base}-panel`}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.label}
            {tab.count !== undefined && <span className="tabs-count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div className="tabs-panel" role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${current.id}`}>
        {current.panel()}
      </div>
    </div>
  );
}
