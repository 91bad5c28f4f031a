/** The errors a page wrote to its console, or threw. */
import type { Protocol } from "puppeteer-core";

/** A page may log errors in a loop. */
const MOST_ERRORS = 50;
/** More lines than a person would read. */
const FLOOD = 2_000;
const ERROR_LENGTH = 500;

export class ConsoleErrors {
  readonly texts: string[] = [];
  #lines = 0;

  get isFlooded(): boolean {
    return this.#lines > FLOOD;
  }

  called(event: Protocol.Runtime.ConsoleAPICalledEvent): void {
    this.#lines++;
    if (event.type !== "error" && event.type !== "assert") return;
    this.#add(event.args.map((arg) => String(arg.value ?? arg.unserializableValue ?? arg.description ?? "")).join(" "));
  }

  thrown({ exceptionDetails }: Protocol.Runtime.ExceptionThrownEvent): void {
    const { exception, text } = exceptionDetails;
    // The description includes the stack; its first line is the message.
    this.#add(`${text} ${exception?.description?.split("\n", 1)[0] ?? String(exception?.value ?? "")}`.trim());
  }

  /** Failed requests are already in the list of requests. */
  logged({ entry }: Protocol.Log.EntryAddedEvent): void {
    if (entry.level === "error" && entry.source !== "network") this.#add(entry.text);
  }

  #add(text: string): void {
    if (this.texts.length < MOST_ERRORS) this.texts.push(text.slice(0, ERROR_LENGTH));
  }
}
