/** Why a repo cannot be read. */

/** invalid_car: the container is broken, cut off or not what its hashes say. parse_error: what is in it is no repo, or not this one. */
export type RepoErrorClass = "invalid_car" | "parse_error";

/** For the log and the list of failed repos, not for a person's terminal: there it is one line among many. */
export class RepoParseError extends Error {
  readonly class: RepoErrorClass;

  constructor(errorClass: RepoErrorClass, reason: string) {
    super(reason);
    this.name = "RepoParseError";
    this.class = errorClass;
  }
}
