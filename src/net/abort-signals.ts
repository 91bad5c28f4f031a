/** Abort signals of running fetches: one listener a signal, however many fetches share it, and none left behind. */

interface Abortable {
  abort(): void;
}

interface Group {
  members: Set<Abortable>;
  listener: () => void;
}

export class AbortSignals {
  readonly #groups = new Map<AbortSignal, Group>();

  add(signal: AbortSignal, member: Abortable): void {
    let group = this.#groups.get(signal);
    if (group === undefined) {
      const members = new Set<Abortable>();
      const listener = () => {
        this.#groups.delete(signal);
        for (const each of members) each.abort();
      };
      group = { members, listener };
      this.#groups.set(signal, group);
      signal.addEventListener("abort", listener, { once: true });
    }
    group.members.add(member);
  }

  delete(signal: AbortSignal, member: Abortable): void {
    const group = this.#groups.get(signal);
    if (group === undefined || !group.members.delete(member) || group.members.size > 0) return;
    this.#groups.delete(signal);
    signal.removeEventListener("abort", group.listener);
  }
}
