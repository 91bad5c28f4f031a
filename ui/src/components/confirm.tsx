/** Asks before something that cannot be undone; for the worst of it, by typing a word. */
import { type ReactNode, useId, useState } from "react";
import { problemFrom } from "../lib/api.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { TextInput } from "./input.tsx";

export interface ConfirmProps {
  title: string;
  children: ReactNode;
  /** What the button says: the deed, not "OK". */
  action: string;
  isDanger?: boolean;
  /** A word to type first. */
  typed?: string;
  onConfirm: () => Promise<unknown> | unknown;
  onClose: () => void;
}

/** Stays open and says why when the deed fails; closes when it is done. */
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
