/** A surface with a heading: what a screen is made of. */
import { type ReactNode, useId } from "react";
import { InfoTip } from "./tooltip.tsx";
import "./card.css";

export interface CardProps {
  title?: ReactNode;
  info?: string;
  /** At the right of the heading. */
  actions?: ReactNode;
  children: ReactNode;
  /** Without padding, for tables and lists that reach the edges. */
  isFlush?: boolean;
  className?: string;
}

export function Card({ title, info, actions, children, isFlush = false, className }: CardProps) {
  const id = useId();
  return (
    <section className={`card ${className ?? ""}`} aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <header className="card-head">
          <h2 id={id}>{title}</h2>
          {info && <InfoTip text={info} />}
          {actions && <div className="card-actions">{actions}</div>}
        </header>
      )}
      <div className={isFlush ? "card-body card-flush" : "card-body"}>{children}</div>
    </section>
  );
}
