/** Runs a query in an embedded ClickHouse, and streams its rows. Only a single statement that reads is allowed. */

import { TrawlError } from "../../errors.ts";
import { type ChdbSession, chdbReason } from "./chdb-target.ts";

export interface QueryColumn {
  name: string;
  /** As ClickHouse calls it. */
  type: string;
}

export interface QueryAnswer {
  columns: QueryColumn[];
  /** Values as in JSON. Whole numbers beyond 2^53 are text, so that no digit is lost. */
  rows: AsyncIterable<unknown[]>;
}

const FORMAT = "JSONCompactEachRowWithNamesAndTypes";
/** Only these are streamed; answers to the others are small. */
const STREAMED = /^[\s(]*(?:SELECT|WITH|FROM)\b/i;
const WIDE_INTEGER = /^(?:Nullable\()?U?Int64\)?$/;

export async function runQuery(session: ChdbSession, sql: string, signal?: AbortSignal): Promise<QueryAnswer> {
  const statement = await guardedStatement(session, sql);
  const pieces = piecesOf(session, statement, signal);
  // The first piece has the columns, and shows whether the query works.
  const first = await badSql(() => pieces.next(), signal);
  if (first.done) return { columns: [], rows: rowsOf({ pieces, signal }, [], []) };
  const { columns, lines } = readPiece(first.value);
  return { columns, rows: rowsOf({ pieces, signal }, columns, lines) };
}

interface Answering {
  pieces: AsyncGenerator<string>;
  signal: AbortSignal | undefined;
}

async function* rowsOf(
  answering: Answering,
  columns: readonly QueryColumn[],
  firstLines: string[],
): AsyncGenerator<unknown[]> {
  const wide = columns.flatMap(({ type }, index) => (WIDE_INTEGER.test(type) ? [index] : []));
  try {
    for (let lines: string[] | null = firstLines; lines !== null; lines = await nextLines(answering)) {
      for (const line of lines) {
        const row: unknown[] = JSON.parse(line);
        for (const index of wide) row[index] = narrow(row[index]);
        yield row;
      }
    }
  } finally {
    await answering.pieces.return(undefined);
  }
}

async function nextLines({ pieces, signal }: Answering): Promise<string[] | null> {
  const next = await badSql(() => pieces.next(), signal);
  return next.done ? null : readPiece(next.value).lines;
}

/** Every piece has complete lines, and its own header of names and types. */
function readPiece(piece: string): { columns: QueryColumn[]; lines: string[] } {
  const [names = "[]", types = "[]", ...lines] = piece.split("\n").filter((line) => line !== "");
  const typeNames: string[] = JSON.parse(types);
  const columns = (JSON.parse(names) as string[]).map((name, index) => ({ name, type: typeNames[index] ?? "" }));
  return { columns, lines };
}

/** The engine writes 64-bit integers as text. Most are counts, which should be numbers. */
function narrow(value: unknown): unknown {
  const number = Number(value);
  return typeof value === "string" && Number.isSafeInteger(number) ? number : value;
}

async function* piecesOf(
  session: ChdbSession,
  statement: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const options = { format: FORMAT, ...(signal === undefined ? {} : { signal }) };
  if (!STREAMED.test(statement)) {
    yield (await session.queryAsync(statement, options)).text();
    return;
  }
  for await (const chunk of session.queryStream(statement, options)) yield chunk.text();
}

/** In capitals, as the engine writes them. */
const READS = /^\(*(?:SELECT|WITH|FROM|SHOW|DESC|DESCRIBE|EXPLAIN|EXISTS)\b/;
/** INTO OUTFILE: the name of the file, a direct child of the statement. */
const OUT_FILE = /^ Literal '/m;
/** FORMAT: the query does not choose how rows are sent. */
const FORMAT_CLAUSE = /^ Identifier (\w+)/m;
/** The function that reads any file of this machine. */
const READS_FILE = /^ *Function file \(/im;

/**
 * The engine's own read-only mode forbids writing, and functions that read other tables; this forbids what that mode lets
 * pass. Returns the statement as the engine writes it; throws BAD_RECORD_SQL.
 */
async function guardedStatement(session: ChdbSession, sql: string): Promise<string> {
  const statement = await parsed(session, sql);
  if (!READS.test(statement)) throw new TrawlError("BAD_RECORD_SQL", "A query can only read.");
  const tree = await syntaxTree(session, statement);
  if (OUT_FILE.test(tree)) throw new TrawlError("BAD_RECORD_SQL", "A query cannot write a file: remove INTO OUTFILE.");
  const [, format] = FORMAT_CLAUSE.exec(tree) ?? [];
  if (format !== undefined && statement.includes(` FORMAT ${format}`)) {
    throw new TrawlError("BAD_RECORD_SQL", "A query cannot choose the output format: remove FORMAT.");
  }
  if (READS_FILE.test(tree))
    throw new TrawlError("BAD_RECORD_SQL", "A query can only read the archive: file() is not allowed.");
  return statement;
}

/** Refuses what is not SQL, and more than one statement. */
async function parsed(session: ChdbSession, sql: string): Promise<string> {
  const options = { format: "JSONCompact" };
  const question = "SELECT formatQuerySingleLine({sql:String})";
  const answer = await badSql(() => session.queryBindAsync(question, { sql: sql.trim().replace(/;$/, "") }, options));
  return answer.json<{ data: [[string]] }>().data[0][0];
}

async function syntaxTree(session: ChdbSession, statement: string): Promise<string> {
  const answer = await badSql(() => session.queryAsync(`EXPLAIN AST ${statement}`, { format: "TSVRaw" }));
  return answer.text();
}

export async function badSql<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    signal?.throwIfAborted();
    throw new TrawlError("BAD_RECORD_SQL", chdbReason(error), { cause: error });
  }
}
