/** A control with its label, its meaning, and what is wrong with it. */
import { type ReactNode, useId } from "react";
import { InfoTip } from "./popover.tsx";
import "./field.css";

export interface FieldProps {
  label: ReactNode;
  /** Shown behind an "i". */
  info?: string;
  /** Shown below the control. */
  help?: ReactNode;
  error?: string | null;
  /** The label at the left and the control at the right. */
  isInline?: boolean;
  /** Gets the attributes that tie the control to its label and error. */
  children: (control: {
    id: string;
    "aria-invalid": boolean | undefined;
    "aria-describedby": string | undefined;
  }) => ReactNode;
}

export function Field({ label, info, help, error, isInline = false, children }: FieldProps) {
  const id = useId();
  const isWrong = error !== null && error !== undefined;
  const noteId = isWrong || help !== undefined ? `${id}-note` : undefined;
  return (
    <div className={isInline ? "field field-inline" : "field"}>
      <div className="field-label">
        <label htmlFor={id}>{label}</label>
        {info && <InfoTip text={info} />}
      </div>
      <div className="field-control">
        {children({ id, "aria-invalid": isWrong || undefined, "aria-describedby": noteId })}
        {isWrong ? (
          <p className="field-error" id={noteId}>
            {error}
          </p>
        ) : (
          help !== undefined && (
            <p className="field-help" id={noteId}>
              {help}
            </p>
          )
        )}
      </div>
    </div>
  );
}
