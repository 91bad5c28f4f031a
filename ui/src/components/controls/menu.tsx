/** A button that opens a list of actions or choices. Arrow keys move, Esc closes, focus returns to the button. */
import { Check, type LucideIcon } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { Button, type ButtonLook, IconButton } from "./button.tsx";
import { type Placement, placePopover } from "./popover.tsx";
import "./menu.css";

export interface MenuItem {
  id: string;
  label: ReactNode;
  /** Small text at the end of the row. */
  hint?: string;
  icon?: LucideIcon;
  isChosen?: boolean;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** A line above this row. */
  isApart?: boolean;
  onSelect: () => void;
}

export interface MenuProps {
  /** Text on the button; with `icon` alone it is the button's name. */
  label: string;
  icon?: LucideIcon;
  isIconOnly?: boolean;
  look?: ButtonLook;
  placement?: Placement;
  items: MenuItem[];
  className?: string;
  /** For hints that are loaded only when somebody looks. */
  onOpenChange?: (isOpen: boolean) => void;
  /** What the button shows instead of its label; screen readers get both. */
  children?: ReactNode;
}

export function Menu({
  label,
  icon,
  isIconOnly,
  look = "plain",
  placement = "below",
  items,
  className,
  onOpenChange,
  children,
}: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);

  const open = () => {
    list.current?.showPopover();
    placePopover(list.current!, button.current!, placement);
    (list.current?.querySelector<HTMLElement>('[aria-checked="true"]') ?? rows(list.current)[0])?.focus();
  };
  const toggle = () => (list.current?.matches(":popover-open") ? list.current.hidePopover() : open());
  const choose = (item: MenuItem) => {
    list.current?.hidePopover();
    button.current?.focus();
    item.onSelect();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = rows(list.current);
    const next = nextRow(event.key, all.indexOf(document.activeElement as HTMLElement), all);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  const opener = { ref: button, onClick: toggle, "aria-haspopup": "menu" as const, "aria-expanded": isOpen, className };
  return (
    <span className="menu">
      {isIconOnly && icon ? (
        <IconButton label={label} icon={icon} {...opener} />
      ) : (
        <Button look={look} icon={icon} {...opener}>
          {children === undefined ? (
            label
          ) : (
            <>
              <span className="visually-hidden">{label}: </span>
              {children}
            </>
          )}
        </Button>
      )}
      <div
        className="menu-list"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        popover="auto"
        ref={list}
        onKeyDown={onKeyDown}
        onToggle={(event) => {
          setOpen(event.newState === "open");
          onOpenChange?.(event.newState === "open");
        }}
      >
        {items.map((item) => (
          <MenuRow key={item.id} item={item} onChoose={() => choose(item)} />
        ))}
      </div>
    </span>
  );
}

function MenuRow({ item, onChoose }: { item: MenuItem; onChoose: () => void }) {
  const { icon: Icon, isChosen } = item;
  const className = `menu-row ${item.isDanger ? "menu-row-danger" : ""} ${item.isApart ? "menu-row-apart" : ""}`;
  const content = (
    <>
      {Icon && <Icon size={15} aria-hidden />}
      <span className="cut grow">{item.label}</span>
      {item.hint && <span className="muted menu-hint">{item.hint}</span>}
      {isChosen && <Check size={15} aria-hidden />}
    </>
  );
  return isChosen === undefined ? (
    <button
      type="button"
      role="menuitem"
      className={className}
      tabIndex={-1}
      disabled={item.isDisabled}
      onClick={onChoose}
    >
      {content}
    </button>
  ) : (
    <button
      type="button"
      role="menuitemradio"
      aria-checked={isChosen}
      className={className}
      tabIndex={-1}
      disabled={item.isDisabled}
      onClick={onChoose}
    >
      {content}
    </button>
  );
}

const rows = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>(".menu-row:not(:disabled)") ?? []),
];

function nextRow(key: string, at: number, all: HTMLElement[]): HTMLElement | undefined {
  if (key === "ArrowDown") return all[(at + 1) % all.length];
  if (key === "ArrowUp") return all.at(at <= 0 ? -1 : at - 1);
  if (key === "Home") return all[0];
  if (key === "End") return all.at(-1);
  if (key.length !== 1 || key === " ") return undefined;
  const typed = key.toLowerCase();
  return [...all.slice(at + 1), ...all].find((row) => row.textContent?.trim().toLowerCase().startsWith(typed));
}
