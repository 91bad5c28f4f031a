/** Modal dialogs, and the one that asks for confirmation. The browser's `<dialog>` keeps focus inside, closes with Esc and returns focus. */
import { X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import { Button, IconButton } from "../controls/button.tsx";
import "./dialog.css";
import { problemFrom } from "../../lib/api.ts";
import { TextInput } from "../controls/input.tsx";

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

/** Shows a `<dialog>` as a modal while it is mounted; Esc or a click outside asks to close it. */
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
    // The browser would focus the first button, which here is the close button.
    element.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    element.addEventListener("cancel", onCancel);
    element.addEventListener("pointerdown", onPointerDown);
    return () => {
      element.removeEventListener("cancel", onCancel);
      element.removeEventListener("pointerdown", onPointerDown);
      // Closing it, not just removing it, returns the focus.
      element.close();
    };
  }, [dialog]);
}

export interface ConfirmProps {
  title: string;
  children: ReactNode;
  /** What the button says: the action, not "OK". */
  action: string;
  isDanger?: boolean;
  /** A word to type first. */
  typed?: string;
  onConfirm: () => Promise<unknown> | unknown;
  onClose: () => void;
}

/** Asks before something that cannot be undone, for the worst by typing a word. Stays open and says why if the action fails. */
export function Confirm({ title, children, action, isDanger = true, typed, onConfirm, onClose }: ConfirmProps) {
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const id = useId();
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      const { title, detail, hint } = problemFrom(failure);
      setError([detail ?? title, hint].filter(Boolean).join(" "));
      setBusy(false);
    }
  };
  const isReady = typed === undefined || text.trim() === typed;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose} data-autofocus={typed === undefined ? true : undefined}>
            Cancel
          </Button>
          <Button look={isDanger ? "danger" : "primary"} disabled={!isReady} isBusy={isBusy} onClick={confirm}>
            {action}
          </Button>
        </>
      }
    >
      <form
        className="stack-tight"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && typed !== undefined) void confirm();
        }}
      >
        {children}
        {typed !== undefined && (
          <label htmlFor={id} className="stack-tight">
            <span>
              Type <strong>{typed}</strong> to confirm
            </span>
            <TextInput id={id} value={text} onValue={setText} autoComplete="off" data-autofocus />
          </label>
        )}
        {error !== null && (
          <p role="alert" className="field-error">
            {error}
          </p>
        )}
      </form>
    </Dialog>
  );
}
