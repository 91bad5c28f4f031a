/**
 * What a query over an archive may be: one statement that reads the tables. The engine's own read-only mode forbids
 * writing, and functions that read other tables; this forbids what that mode lets pass.
 */
import { TrawlError } from "../../errors.ts";
import type { ChdbSession } from "./chdb-session.ts";
import { chdbReason } from "./chdb-target.ts";

/** As the engine writes them, in capitals. */
const READS = /^\(*(?:SELECT|WITH|FROM|SHOW|DESC|DESCRIBE|EXPLAIN|EXISTS)\b/;
/** INTO OUTFILE: the name of the file, a direct child of the statement. */
const OUT_FILE = /^ Literal '/m;
/** FORMAT: how rows come is ours to say. */
const FORMAT = /^ Identifier (\w+)/m;
/** The function that reads any file of this machine. */
const READS_FILE = /^ *Function file \(/im;

/** Returns the statement as the engine writes it; throws BAD_RECORD_SQL. */
export async function guardedStatement(session: ChdbSession, sql: string): Promise<string> {
  const statement = await parsed(session, sql);
  if (!READS.test(statement)) throw new TrawlError("BAD_RECORD_SQL", "A query can read, and nothing else.");
  const tree = await syntaxTree(session, statement);
  if (OUT_FILE.test(tree))
    throw new TrawlError("BAD_RECORD_SQL", "A query cannot write a file: leave out INTO OUTFILE.");
  const [, format] = FORMAT.exec(tree) ?? [];
  if (format !== undefined && statement.includes(` FORMAT ${format}`)) {
    throw new TrawlError("BAD_RECORD_SQL", "The form of the answer is not part of the query: leave out FORMAT.");
  }
  if (READS_FILE.test(tree))
    throw new TrawlError("BAD_RECORD_SQL", "A query reads the archive only: file() is not allowed.");
  return statement;
}

/** Refuses what is no SQL, and more than one statement. */
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
