/** Why the archive is paused. It continues when the last reason is gone. */

export type PauseReason = "person" | "file" | "disk";

export interface Pausable {
  pause(): Promise<void>;
  resume(): void;
}

export class Pauses {
  readonly #reasons = new Set<PauseReason>();
  readonly #target: Pausable;
  readonly #onChange: (reasons: PauseReason[]) => void;

  constructor(target: Pausable, onChange: (reasons: PauseReason[]) => void) {
    this.#target = target;
    this.#onChange = onChange;
  }

  get reasons(): PauseReason[] {
    return [...this.#reasons];
  }

  /** Resolves when what was under way has finished and is durable. */
  add(reason: PauseReason): Promise<void> {
    if (!this.#reasons.has(reason)) {
      this.#reasons.add(reason);
      this.#onChange(this.reasons);
    }
    return this.#target.pause();
  }

  remove(reason: PauseReason): void {
    if (!this.#reasons.delete(reason)) return;
    this.#onChange(this.reasons);
    if (this.#reasons.size === 0) this.#target.resume();
  }

  set(reason: PauseReason, on: boolean): void {
    if (on) this.add(reason).catch(() => {});
    else this.remove(reason);
  }
}
