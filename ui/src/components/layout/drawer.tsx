/** A panel at the right edge for the details of one thing: next to the page on wide screens, covering it on narrow ones. */
import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "../controls/button.tsx";
import "./drawer.css";

export interface DrawerProps {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  /** Blocks the page behind it; always so on narrow screens. */
  isModal?: boolean;
}

/** Below this width, a drawer covers everything, so it must keep the focus. */
const NARROW = "(max-width: 720px)";

/** Mount it to open it, unmount it to close it. */
export function Drawer({ title, onClose, children, actions, isModal = false }: DrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current!;
    const before = document.activeElement as HTMLElement | null;
    const onCancel = (event: Event) => {
      event.preventDefault();
      close.current();
    };
    const onKey = (event: KeyboardEvent) => {
      // A dialog or menu on top of the drawer closes first.
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.querySelector("dialog:modal, [popover]:popover-open") === null) close.current();
    };
    const onPointerDown = (event: PointerEvent) => {
      if (event.target === element) close.current();
    };
    if (isModal || window.matchMedia(NARROW).matches) element.showModal();
    else element.show();
    // The browser would focus the first button, whose tooltip would cover the title.
    element.querySelector<HTMLElement>("h2")?.focus();
    element.addEventListener("cancel", onCancel);
    element.addEventListener("pointerdown", onPointerDown);
    document.addEventListener("keydown", onKey);
    return () => {
      element.removeEventListener("cancel", onCancel);
      element.removeEventListener("pointerdown", onPointerDown);
      document.removeEventListener("keydown", onKey);
      element.close();
      if (before?.isConnected) before.focus();
    };
  }, [isModal]);
  return (
    <dialog ref={dialog} className="drawer" aria-labelledby={titleId}>
      <div className="drawer-box">
        <header className="drawer-head">
          <h2 id={titleId} className="grow" tabIndex={-1}>
            {title}
          </h2>
          {actions}
          <IconButton label="Close" icon={X} onClick={onClose} />
        </header>
        <div className="drawer-body">{children}</div>
      </div>
    </dialog>
  );
}
