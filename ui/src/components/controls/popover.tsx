/** Things that appear next to a control: tooltips, explanations, and where a popover is placed. */
import { Info } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import "./popover.css";

/** Long enough that crossing the screen with the mouse leaves no trail. */
const DELAY_MS = 350;

/** A few words beside a control while it is hovered or focused. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const { anchor, bubble, show, hide } = useBubble(DELAY_MS);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to what happens to the control inside.
    <span
      className="tooltip-anchor"
      ref={anchor}
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocus={show}
      onBlur={hide}
      onPointerDown={hide}
    >
      {children}
      <span className="tooltip" popover="manual" ref={bubble} aria-hidden="true">
        {text}
      </span>
    </span>
  );
}

/** A small "i" that explains a setting, column or figure. */
export function InfoTip({ text, label = "What is this?" }: { text: string; label?: string }) {
  const { anchor, bubble, show, hide } = useBubble(0);
  const id = useId();
  return (
    <span className="tooltip-anchor" ref={anchor}>
      <button
        type="button"
        className="info-tip"
        aria-label={label}
        aria-describedby={id}
        onPointerEnter={show}
        onPointerLeave={hide}
        onFocus={show}
        onBlur={hide}
        onClick={show}
      >
        <Info size={13} aria-hidden />
      </button>
      <span className="tooltip tooltip-wide" role="tooltip" id={id} popover="manual" ref={bubble}>
        {text}
      </span>
    </span>
  );
}

function useBubble(delayMs: number) {
  const anchor = useRef<HTMLSpanElement>(null);
  const bubble = useRef<HTMLSpanElement>(null);
  const timer = useRef<number | undefined>(undefined);
  const hide = () => {
    window.clearTimeout(timer.current);
    if (bubble.current?.matches(":popover-open")) bubble.current.hidePopover();
  };
  const show = () => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      if (bubble.current === null || anchor.current === null || bubble.current.matches(":popover-open")) return;
      bubble.current.showPopover();
      placePopover(bubble.current, anchor.current, "above");
    }, delayMs);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && bubble.current?.matches(":popover-open")) bubble.current.hidePopover();
    };
    document.addEventListener("keydown", onKey);
    return () => {
      window.clearTimeout(timer.current);
      document.removeEventListener("keydown", onKey);
    };
  }, []);
  return { anchor, bubble, show, hide };
}

/** Places a popover next to its anchor and keeps it inside the window. The browser's popover handles Esc and clicks outside. */
const GAP = 6;
const EDGE = 8;

export type Placement = "below" | "below-end" | "above";

export function placePopover(popover: HTMLElement, anchor: HTMLElement, placement: Placement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const wantsLeft =
    placement === "below-end" ? at.right - width : placement === "above" ? at.left + at.width / 2 - width / 2 : at.left;
  const left = Math.max(EDGE, Math.min(wantsLeft, window.innerWidth - width - EDGE));
  const below = at.bottom + GAP;
  const above = at.top - GAP - height;
  const fitsBelow = below + height <= window.innerHeight - EDGE;
  const goesAbove = placement === "above" ? above >= EDGE : !fitsBelow && above >= EDGE;
  popover.style.left = `${left}px`;
  popover.style.top = `${goesAbove ? above : Math.max(EDGE, Math.min(below, window.innerHeight - height - EDGE))}px`;
}
