/** SQL: queries one crawl's database directly, read-only, with visible limits. */

import { useNavigate, useSearch } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Select, TextArea } from "../../components/controls/input.tsx";
import { Menu } from "../../components/controls/menu.tsx";
import { Kbd } from "../../components/data/labels.tsx";
import { Page } from "../../components/layout/page.tsx";
import { useQuerySql } from "../../lib/changes.ts";
import { formatDuration, formatNumber } from "../../lib/format.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { SQL_EXAMPLES } from "./sql-examples.ts";
import { SqlResult } from "./sql-result.tsx";
import "./sql-screen.css";
import { useQuery } from "@tanstack/react-query";
import { Loaded } from "../../components/feedback/states.tsx";
import { queries } from "../../lib/queries.ts";

const FROM = "/crawls/$crawlId/sql";

export function SqlScreen() {
  const { sql: asked } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const { crawl } = usePlace();
  const [sql, setSql] = useState(asked ?? SQL_EXAMPLES[0]!.sql);
  const [limits, setLimits] = useState(DEFAULT_LIMITS);
  const query = useQuerySql(useCrawlId());
  const editor = useRef<HTMLDivElement>(null);
  const run = (text: string) => {
    if (text.trim() === "") return;
    query.mutate({ sql: text, ...limits });
    // In the address, so that a query can be shared and revisited.
    void navigate({ search: (before) => ({ ...before, sql: text }), replace: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run(sql);
  };
  const insert = (name: string) => {
    const area = editor.current?.querySelector("textarea");
    if (!area) return;
    setSql(`${sql.slice(0, area.selectionStart)}${name}${sql.slice(area.selectionEnd)}`);
    area.focus();
  };
  return (
    <Page
      width="full"
      title="SQL"
      subtitle={
        crawl && (
          <>
            <span>
              {unicodeHost(crawl.domain)}, crawl #{crawl.id}
            </span>
            <span>read-only SQLite</span>
          </>
        )
      }
      actions={
        <Menu
          label="Examples"
          placement="below-end"
          items={SQL_EXAMPLES.map((example) => ({
            id: example.title,
            label: example.title,
            onSelect: () => {
              setSql(example.sql);
              run(example.sql);
            },
          }))}
        />
      }
    >
      <div className="sql">
        <SqlTables onInsert={insert} />
        <div className="sql-main">
          <div className="sql-editor" ref={editor}>
            <TextArea
              aria-label="SQL"
              className="mono"
              spellCheck={false}
              autoCapitalize="off"
              rows={7}
              value={sql}
              onValue={setSql}
              onKeyDown={onKeyDown}
            />
            <div className="row-apart">
              <div className="row">
                <Select
                  aria-label="Row limit"
                  value={String(limits.limit)}
                  onValue={(limit) => setLimits({ ...limits, limit: Number(limit) })}
                  options={ROW_LIMITS.map((rows) => ({
                    value: String(rows),
                    label: `Up to ${formatNumber(rows)} rows`,
                  }))}
                />
                <Select
                  aria-label="Time limit"
                  value={String(limits.timeoutMs)}
                  onValue={(timeoutMs) => setLimits({ ...limits, timeoutMs: Number(timeoutMs) })}
                  options={TIME_LIMITS_MS.map((ms) => ({ value: String(ms), label: `Up to ${formatDuration(ms)}` }))}
                />
              </div>
              <div className="row">
                <span className="sql-keys">
                  <Kbd keys="mod+Enter" />
                </span>
                <Button look="primary" icon={Play} isBusy={query.isPending} onClick={() => run(sql)}>
                  Run
                </Button>
              </div>
            </div>
          </div>
          <SqlResult query={query} />
        </div>
      </div>
    </Page>
  );
}

/** The tables and columns; a click inserts the name into the query. */
export function SqlTables({ onInsert }: { onInsert: (name: string) => void }) {
  const tables = useQuery(queries.tables());
  return (
    <aside className="sql-tables" aria-label="Tables">
      <Loaded query={tables}>
        {(rows) =>
          rows.map(({ table, description, columns }, at) => (
            <details key={table} open={at === 0}>
              <summary>
                <code>{table}</code>
              </summary>
              <p className="muted sql-note">{description}</p>
              <ul>
                {columns.map(({ name, type, description: about }) => (
                  <li key={name}>
                    <button type="button" className="sql-column" title={about} onClick={() => onInsert(name)}>
                      <code>{name}</code>
                      <span className="muted sql-type">{type.toLowerCase()}</span>
                      <span className="cut muted sql-note">{about}</span>
                    </button>
                  </li>
                ))}
              </ul>
            </details>
          ))
        }
      </Loaded>
    </aside>
  );
}

export const ROW_LIMITS = [200, 1_000, 10_000] as const;
export const TIME_LIMITS_MS = [5_000, 15_000, 30_000] as const;

/** The limits for a query; the server enforces them. */
export interface SqlLimits {
  limit: number;
  timeoutMs: number;
}

export const DEFAULT_LIMITS: SqlLimits = { limit: 1_000, timeoutMs: 5_000 };
