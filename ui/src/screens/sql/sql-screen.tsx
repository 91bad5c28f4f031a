/** SQL: one crawl's database asked directly, read-only, with limits that are in sight. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Select, TextArea } from "../../components/input.tsx";
import { Kbd } from "../../components/kbd.tsx";
import { Menu } from "../../components/menu.tsx";
import { Page } from "../../components/page.tsx";
import { useQuerySql } from "../../lib/changes.ts";
import { formatDuration, formatNumber } from "../../lib/format.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { SQL_EXAMPLES } from "./sql-examples.ts";
import { DEFAULT_LIMITS, ROW_LIMITS, TIME_LIMITS_MS } from "./sql-limits.ts";
import { SqlResult } from "./sql-result.tsx";
import { SqlTables } from "./sql-tables.tsx";
import "./sql-screen.css";

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
    // In the address, so that a question can be shared and come back to.
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
              {crawl.domain}, crawl #{crawl.id}
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
                  aria-label="Rows at most"
                  value={String(limits.limit)}
                  onValue={(limit) => setLimits({ ...limits, limit: Number(limit) })}
                  options={ROW_LIMITS.map((rows) => ({
                    value: String(rows),
                    label: `${formatNumber(rows)} rows at most`,
                  }))}
                />
                <Select
                  aria-label="Time at most"
                  value={String(limits.timeoutMs)}
                  onValue={(timeoutMs) => setLimits({ ...limits, timeoutMs: Number(timeoutMs) })}
                  options={TIME_LIMITS_MS.map((ms) => ({ value: String(ms), label: `${formatDuration(ms)} at most` }))}
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
