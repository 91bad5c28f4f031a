/** A button with a small panel: for choices that need more than a menu and less than a dialog. */
import type { LucideIcon } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button, type ButtonLook } from "./button.tsx";
import { type Placement, placePopover } from "./popover.tsx";
import "./popover.css";

export interface PopoverButtonProps {
  /** The name of the button and of its panel. */
  label: string;
  /** What the button shows instead of its name. */
  face?: ReactNode;
  icon?: LucideIcon;
  look?: ButtonLook;
  className?: string;
  placement?: Placement;
  /** The panel, rendered again each time it opens. */
  children: (close: () => void) => ReactNode;
}

export function PopoverButton({
  label,
  face,
  icon,
  look,
  className,
  placement = "below",
  children,
}: PopoverButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    panel.current?.hidePopover();
    button.current?.focus();
  };
  const toggle = () => {
    if (panel.current?.matches(":popover-open")) close();
    else panel.current?.showPopover();
  };
  const onPanel = (element: HTMLElement | null) => {
    if (element === null) return;
    // After its content has rendered, because the size decides where it fits.
    placePopover(element, button.current!, placement);
    const chosen = element.querySelector<HTMLElement>("[data-autofocus]");
    (chosen ?? element.querySelector<HTMLElement>("input, select, button"))?.focus();
  };
  // A panel that grows while it is open would reach out of the window.
  useEffect(() => {
    const element = panel.current;
    if (!isOpen || element === null) return;
    const observer = new ResizeObserver(() => placePopover(element, button.current!, placement));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen, placement]);
  return (
    <>
      <Button
        ref={button}
        look={look}
        icon={icon}
        className={className}
        onClick={toggle}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={face === undefined ? undefined : label}
      >
        {face ?? label}
      </Button>
      <section
        ref={panel}
        className="popover-panel"
        popover="auto"
        aria-label={label}
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {isOpen && <PanelContent onReady={() => onPanel(panel.current)}>{children(close)}</PanelContent>}
      </section>
    </>
  );
}

function PanelContent({ onReady, children }: { onReady: () => void; children: ReactNode }) {
  const isReady = useRef(false);
  const ref = (element: HTMLDivElement | null) => {
    if (element === null || isReady.current) return;
    isReady.current = true;
    onReady();
  };
  return <div ref={ref}>{children}</div>;
}
