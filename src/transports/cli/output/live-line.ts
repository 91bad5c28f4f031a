/** A line that is rewritten in place while a command works, with results above it. Only where a person looks. */
import type { Terminal } from "./terminal.ts";
import { cut } from "./width.ts";

export const CLEAR_LINE = "\r\u001b[2K";

/** A person sees it move, and writing it costs nothing beside the work. */
const INTERVAL_MS = 200;

export interface LiveLine {
  /** Called as often as it comes; the text is made only when it is shown. */
  show(text: () => string): void;
  /** A result, on a line of its own. */
  say(text: string): void;
  end(): void;
}

export function liveLine(terminal: Terminal, json: boolean, now: () => number = () => performance.now()): LiveLine {
  const isShown = terminal.isInteractive && !json;
  let last = now();
  return {
    show(text) {
      if (!isShown || now() - last < INTERVAL_MS) return;
      last = now();
      terminal.write(CLEAR_LINE + cut(text(), terminal.width - 1));
    },
    say: (text) => terminal.write(`${isShown ? CLEAR_LINE : ""}${text}\n`),
    end() {
      if (isShown) terminal.write(CLEAR_LINE);
    },
  };
}
