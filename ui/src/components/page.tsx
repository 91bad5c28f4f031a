/** The frame of a screen: heading, what can be done, content. Gives the tab its title; shell/route-focus.ts gives it the focus. */
import { type ReactNode, useEffect } from "react";
import "./page.css";

export interface PageProps {
  title: string;
  /** In the browser's tab; the title unless given. */
  tabTitle?: string;
  /** Under the title. */
  subtitle?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Narrow for forms; full fills the window and scrolls inside itself, for tables and graphs. */
  width?: "normal" | "narrow" | "full";
}

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
