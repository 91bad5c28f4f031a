/** The errors a page wrote to its console, or threw. */
import type { Protocol } from "puppeteer-core";

/** A page may complain in a loop. */
const MAX_TEXTS = 50;
const MAX_LENGTH = 500;

export class ConsoleErrors {
  readonly texts: string[] = [];

  called(event: Protocol.Runtime.ConsoleAPICalledEvent): void {
    if (event.type !== "error" && event.type !== "assert") return;
    this.#add(event.args.map((arg) => String(arg.value ?? arg.unserializableValue ?? arg.description ?? "")).join(" "));
  }

  thrown({ exceptionDetails }: Protocol.Runtime.ExceptionThrownEvent): void {
    const { exception, text } = exceptionDetails;
    // The description holds the stack as well; its first line is the message.
    this.#add(`${text} ${exception?.description?.split("\n", 1)[0] ?? String(exception?.value ?? "")}`.trim());
  }

  /** Failed requests are in the list of requests already. */
  logged({ entry }: Protocol.Log.EntryAddedEvent): void {
    if (entry.level === "error" && entry.source !== "network") this.#add(entry.text);
  }

  #add(text: string): void {
    if (this.texts.length < MAX_TEXTS) this.texts.push(text.slice(0, MAX_LENGTH));
  }
}
