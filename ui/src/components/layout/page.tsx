/** The frame of a screen, and the cards in it. */
import { type ReactNode, useEffect, useId } from "react";
import "./page.css";
import { InfoTip } from "../controls/popover.tsx";

export interface PageProps {
  title: string;
  /** For the browser's tab; the title by default. */
  tabTitle?: string;
  /** Under the title. */
  subtitle?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Narrow for forms; full fills the window and scrolls inside itself, for tables and graphs. */
  width?: "normal" | "narrow" | "full";
}

/** The frame of a screen: heading, actions, content. It sets the tab's title; the shell moves the focus to its heading. */
export function Page({ title, tabTitle = title, subtitle, actions, children, width = "normal" }: PageProps) {
  useEffect(() => {
    document.title = `${tabTitle} · Trawl`;
  }, [tabTitle]);
  return (
    <div className={`page page-${width}`}>
      <header className="page-head">
        <div className="grow">
          <h1 tabIndex={-1} className="cut" title={title}>
            {title}
          </h1>
          {subtitle && <div className="page-subtitle">{subtitle}</div>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      <div className="page-body">{children}</div>
    </div>
  );
}

export interface CardProps {
  title?: ReactNode;
  info?: string;
  /** To the right of the heading. */
  actions?: ReactNode;
  children: ReactNode;
  /** Without padding, for tables and lists that reach the edges. */
  isFlush?: boolean;
  className?: string;
}

/** A surface with a heading. */
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
