/** docs/reference/tables.md: the tables of a crawl's database, from the list that the SQL screens and tools use. */
import { sqlTables } from "../../src/site/store/sql/sql-tables.ts";
import { code, generatedNote, markdownTable } from "../markdown.ts";

export function tablesPage(): string {
  return [
    generatedNote("the tables of `src/site/store` and `src/site/facts`"),
    HEAD,
    ...sqlTables().flatMap(({ name, description, columns }) => [
      `## ${name}`,
      `${description}.`,
      markdownTable(
        ["Column", "Meaning"],
        columns.map((column) => [code(column.name), column.description]),
      ),
    ]),
    "",
  ].join("\n\n");
}

const HEAD = `# Tables

The tables of a crawl's database. [Data](../data.md) says where it is stored and has SQL examples;
[fields](fields.md#numbers-in-the-database) explains the numbers.`;
