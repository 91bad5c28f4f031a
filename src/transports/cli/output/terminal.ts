/**
 * Where the output goes: to a person at a terminal, with a few colours, or to a program through a pipe or file.
 */

import type { Readable, Writable } from "node:stream";
import { jsonLine } from "../../../storage/json-line.ts";
import { safeForeignText, safeStream, safeText } from "./safe-text.ts";

export interface TerminalStreams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
}

/** The width of help and prose without a terminal, or with one that reports 0 columns, as some do. */
const USUAL_WIDTH = 80;

const PROGRAM = "trawl";

/** With npx, there is no `trawl` command to type. */
export const programName = (env: NodeJS.ProcessEnv): string =>
  env["npm_command"] === "exec" ? `npx ${PROGRAM}` : PROGRAM;

export class Terminal {
  readonly stdin: TerminalStreams["stdin"];
  readonly style: Style;
  readonly errorStyle: Style;
  readonly #program: string;
  readonly #stdout: TerminalStreams["stdout"];
  readonly #stderr: TerminalStreams["stderr"];
  readonly #results: Writable;
  #closed = false;
  /** Called when the output cannot take more: its reader has stopped, as `head` does, or writing failed. */
  onClosed: (failed: boolean) => void = () => {};

  constructor({ stdin, stdout, stderr }: TerminalStreams, env: NodeJS.ProcessEnv) {
    this.stdin = stdin;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#results = stdout.isTTY === true ? safeStream(stdout) : stdout;
    this.style = createStyle(isColoured(env, stdout));
    this.errorStyle = createStyle(isColoured(env, stderr));
    this.#program = programName(env);
    stdout.on("error", (error: NodeJS.ErrnoException) => this.#lost(error));
    stderr.on("error", () => {});
  }

  get isInteractive(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** Whether a question can be asked and answered. */
  get canAsk(): boolean {
    return this.stdin.isTTY === true && this.#stderr.isTTY === true;
  }

  /** Where tables are cut: a program that reads them gets every cell in full. */
  get width(): number {
    return this.isInteractive ? this.#stdout.columns || USUAL_WIDTH : Number.POSITIVE_INFINITY;
  }

  /** Where prose is wrapped. Longer lines than this are hard to read on the widest screen. */
  get proseWidth(): number {
    return Math.min(this.#stdout.columns || USUAL_WIDTH, 100);
  }

  /** The stream of results, for piping into. On a terminal, it shows no control characters. */
  get stdout(): Writable {
    return this.#results;
  }

  /** For questions, whose editing moves the cursor. Everything else is a `note`. */
  get stderr(): Writable {
    return this.#stderr;
  }

  write(text: string): void {
    if (!this.#closed) this.#stdout.write(this.isInteractive ? safeText(text) : text);
  }

  lines(lines: string[]): void {
    if (lines.length > 0) this.write(`${this.#typed(lines.join("\n"))}\n`);
  }

  json(value: unknown): void {
    const line = jsonLine(value);
    this.write(this.isInteractive ? safeForeignText(line) : line);
  }

  /** For stderr: progress, notes, errors. */
  note(text: string): void {
    const typed = this.#typed(text);
    this.#stderr.write(`${this.#stderr.isTTY === true ? safeText(typed) : typed}\n`);
  }

  /** Commands in backticks, as they are typed here. */
  #typed(text: string): string {
    return this.#program === PROGRAM ? text : text.replaceAll(`\`${PROGRAM} `, `\`${this.#program} `);
  }

  /** Resolves when everything written has been flushed. */
  async flush(): Promise<void> {
    if (this.#closed) return;
    await new Promise<void>((resolve) => {
      this.#stdout.once("close", resolve);
      this.#results.write("", () => resolve());
    });
  }

  #lost(error: NodeJS.ErrnoException): void {
    if (this.#closed) return;
    this.#closed = true;
    const failed = error.code !== "EPIPE";
    if (failed) this.note(`error: The output cannot be written: ${error.message}`);
    this.onClosed(failed);
  }
}

/** NO_COLOR wins; FORCE_COLOR colours a pipe too, for logs that show colours, such as those of CI. */
function isColoured(env: NodeJS.ProcessEnv, { isTTY }: { isTTY?: boolean }): boolean {
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return isTTY === true && env["TERM"] !== "dumb";
}

/** The colours of the output; none without a terminal or with NO_COLOR. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

const code = (on: number, off: number) => (text: string) => (text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`);
const same = (text: string) => text;

const COLOURED: Style = {
  bold: code(1, 22),
  dim: code(2, 22),
  good: code(32, 39),
  warn: code(33, 39),
  bad: code(31, 39),
};
const PLAIN: Style = { bold: same, dim: same, good: same, warn: same, bad: same };

export const createStyle = (coloured: boolean): Style => (coloured ? COLOURED : PLAIN);

/** The colour of a status: what works, what moved, what is broken. */
export function statusStyle(style: Style, status: number | null): (text: string) => string {
  if (status === null) return style.dim;
  if (status >= 400) return style.bad;
  return status >= 300 ? style.warn : style.good;
}
