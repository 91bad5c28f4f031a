/** A modal dialog on the browser's own `<dialog>`: it keeps focus inside, closes with Esc, and gives focus back. */
import { X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useId, useRef } from "react";
import { IconButton } from "./button.tsx";
import "./dialog.css";

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Buttons at the bottom. */
  footer?: ReactNode;
  size?: "small" | "medium" | "large";
}

/** Mount it to open it, unmount it to close it. */
export function Dialog({ title, onClose, children, footer, size = "small" }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useModal(dialog, onClose);
  return (
    <dialog ref={dialog} className={`dialog dialog-${size}`} aria-labelledby={titleId}>
      <div className="dialog-box">
        <header className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <IconButton label="Close" icon={X} onClick={onClose} />
        </header>
        <div className="dialog-body">{children}</div>
        {footer && <footer className="dialog-foot">{footer}</footer>}
      </div>
    </dialog>
  );
}

/** Shows a `<dialog>` as a modal for as long as it is mounted; Esc and a click beside it ask to close. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>, onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const element = dialog.current!;
    // The browser would close it behind React's back.
    const onCancel = (event: Event) => {
      event.preventDefault();
      close.current();
    };
    const onPointerDown = (event: PointerEvent) => {
      if (event.target === element) close.current();
    };
    element.showModal();
    // The browser takes the first button, which here is the one that closes.
    element.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    element.addEventListener("cancel", onCancel);
    element.addEventListener("pointerdown", onPointerDown);
    return () => {
      element.removeEventListener("cancel", onCancel);
      element.removeEventListener("pointerdown", onPointerDown);
      // Closing, not only removing, is what gives focus back to where it was.
      element.close();
    };
  }, [dialog]);
}
