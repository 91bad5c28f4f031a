/** The tables and columns that can be asked; a press puts the name into the question. */
import { useQuery } from "@tanstack/react-query";
import { Loaded } from "../../components/states.tsx";
import { queries } from "../../lib/queries.ts";

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
