/**
 * The archives of this machine: those that its owner has used, what is read from them, and the runs of this process.
 */
import { existsSync } from "node:fs";
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import { listSize } from "../../web/filter.ts";
import { type PageAsked, pageFromStart } from "../data/cursor.ts";
import type {
  ArchivedPage,
  ArchiveFailure,
  ArchiveInfo,
  ArchiveRunInfo,
  ArchiveSearchAnswer,
  ArchiveStatusAnswer,
  ArchiveVerification,
  ChoiceQuestion,
  PageRow,
  StartArchive,
} from "../operations/archives.ts";
import type { Reading } from "../reading/reading.ts";
import { matchRow, statusFacts } from "./answers.ts";
import type { KnownWorkspace, KnownWorkspaces } from "./known-workspaces.ts";
import type { ArchiveReadingAnswer, ArchiveReadingArgs, ArchiveReadingName, ViewedPage } from "./readings.ts";
import type { RunHere } from "./run-here.ts";
import type { Workspace } from "./workspace.ts";

export interface ArchivesParts {
  known: KnownWorkspaces;
  reading: Reading;
  clock: Clock;
  version: string;
}

/** Each takes sockets, memory and a share of the one thread that reads pages. */
const MAX_RUNS = 8;
/** The largest total size of the patterns in a question, as `listSize` counts: they are compiled while others wait. */
const MOST_STEPS = 10_000;
/** How often to check whether another process has stopped. */
const LOOK_MS = 200;

type Choice = ArchiveReadingArgs<"failures">["choice"];

export class Archives {
  readonly #parts: ArchivesParts;
  /** The current or last run of each archive that was started here. */
  readonly #runs = new Map<number, RunHere>();
  #isClosed = false;

  constructor(parts: ArchivesParts) {
    this.#parts = parts;
  }

  async list(): Promise<ArchiveInfo[]> {
    return Promise.all(this.#parts.known.list().map((known) => this.#info(known)));
  }

  /** Takes it off the list; a run of this process keeps it listed. */
  forget(id: number): { done: true } {
    this.#parts.known.get(id);
    if (this.#running(id) !== null) throw busyHere(id);
    this.#parts.known.remove(id);
    this.#runs.delete(id);
    return { done: true };
  }

  async start({ id, retryFailed, refresh, ...question }: StartArchive): Promise<ArchiveInfo> {
    const { known, clock, version } = this.#parts;
    const place = known.get(id);
    const workspace = await this.#open(place);
    const { isEmpty, ...choice } = await this.#choice(question, workspace);
    const { RunHere } = await import("./run-here.ts");
    if (!isEmpty && !retryFailed && !refresh) {
      throw new TrawlError("BAD_USAGE", "status, older, type and match need refresh or retryFailed.");
    }
    if (this.#running(id) !== null) throw busyHere(id);
    if (this.#isClosed) throw new TrawlError("SERVER_BUSY", "The server is ending.");
    const running = [...this.#runs.values()].filter(({ isRunning }) => isRunning).length;
    if (running >= MAX_RUNS) {
      throw new TrawlError("SERVER_BUSY", `${running} archives are running on this server, the maximum.`, {
        retryAfterSeconds: 60,
      });
    }
    const refetch = [...(retryFailed ? [{ ...choice, failed: true }] : []), ...(refresh && !isEmpty ? [choice] : [])];
    const run = await RunHere.start({
      place,
      workspace,
      refetch,
      refresh: refresh && isEmpty,
      software: `trawl/${version}`,
      clock,
      // Remembered at once: a second request must not start another run while the first is still starting.
      onLocked: (starting) => this.#runs.set(id, starting),
    });
    // The run was starting while the app closed.
    if (this.#isClosed) await run.stop();
    return this.#info(place);
  }

  async pause(id: number): Promise<ArchiveInfo> {
    const { requestPause } = await import("./control.ts");
    const place = this.#place(id);
    const run = this.#running(id);
    if (run !== null) await run.pause();
    else {
      await this.#expectRunning(place);
      await requestPause(place.root);
    }
    return this.#info(place);
  }

  async unpause(id: number): Promise<ArchiveInfo> {
    const { withdrawPause } = await import("./control.ts");
    const place = this.#place(id);
    await withdrawPause(place.root);
    await this.#running(id)?.unpause();
    return this.#info(place);
  }

  async stop(id: number, signal?: AbortSignal): Promise<ArchiveInfo> {
    const place = this.#place(id);
    const run = this.#running(id);
    if (run !== null) await run.finish();
    else await this.#stopOther(place.root, signal);
    return this.#info(place);
  }

  async status(id: number, signal?: AbortSignal): Promise<ArchiveStatusAnswer> {
    const place = this.#place(id);
    const status = await this.#read(place, "status", null, signal);
    return { archive: await this.#info(place), ...statusFacts(status) };
  }

  async pages(
    { id, limit, cursor, ...question }: ChoiceQuestion & { id: number; limit: number; cursor: string | null },
    signal?: AbortSignal,
  ): Promise<{ total: null; rows: PageRow[]; next: string | null }> {
    const place = this.#place(id);
    const { isEmpty: _, ...choice } = await this.#choice(question, await this.#open(place));
    if (cursor !== null && !/^\d{1,15}$/.test(cursor)) {
      throw new TrawlError("BAD_USAGE", "The cursor is not one that an answer contained.");
    }
    const before = cursor === null ? null : Number(cursor);
    const { rows, next } = await this.#read(place, "pages", { choice, limit, before }, signal);
    return { total: null, rows, next: next === null ? null : String(next) };
  }

  async failures(
    { id, limit, cursor, ...question }: ChoiceQuestion & PageAsked & { id: number },
    signal?: AbortSignal,
  ): Promise<{ total: number; rows: ArchiveFailure[]; next: string | null }> {
    const place = this.#place(id);
    const { isEmpty: _, ...choice } = await this.#choice(question, await this.#open(place));
    const read = (rows: number) => this.#read(place, "failures", { choice, limit: rows }, signal);
    return pageFromStart(["failures", id, question], { limit, cursor }, read);
  }

  page(id: number, page: string, signal?: AbortSignal): Promise<ArchivedPage> {
    return this.#read(this.#place(id), "page", { page }, signal);
  }

  /** A stored page as a browser shows it. The caller must serve it so that it cannot run anything. */
  view(id: number, page: string, signal?: AbortSignal): Promise<ViewedPage> {
    return this.#read(this.#place(id), "view", { page }, signal);
  }

  verify(id: number, signal?: AbortSignal): Promise<ArchiveVerification> {
    return this.#read(this.#place(id), "verify", null, signal);
  }

  search(
    { id, words, ...page }: PageAsked & { id: number; words: string },
    signal?: AbortSignal,
  ): Promise<ArchiveSearchAnswer> {
    return pageFromStart(["search", id, words], page, async (limit) => {
      const { total, matches, index } = await this.#read(this.#place(id), "search", { words, limit }, signal);
      return { total, rows: matches.map(matchRow), indexedPages: index.pages };
    });
  }

  /** Ends the runs of this process; everything stays queued. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#runs.values()].map((run) => run.stop()));
  }

  #place(id: number): KnownWorkspace {
    return this.#parts.known.get(id);
  }

  /** Loaded here, because most commands have nothing to do with archives, and their settings bring in a YAML parser. */
  async #open({ root, configFile }: KnownWorkspace): Promise<Workspace> {
    const { openWorkspace } = await import("./workspace.ts");
    return openWorkspace(root, this.#parts.clock.now(), configFile);
  }

  #running(id: number): RunHere | null {
    const run = this.#runs.get(id);
    return run?.isRunning ? run : null;
  }

  async #info(place: KnownWorkspace): Promise<ArchiveInfo> {
    const [{ readFlags }, { lockedHalves }] = await Promise.all([import("./control.ts"), import("./workspace.ts")]);
    const { id, root: folder } = place;
    const run: ArchiveRunInfo | null = this.#runs.get(id)?.info() ?? null;
    try {
      const { profile, hosts } = (await this.#open(place)).settings;
      return {
        id,
        folder,
        profile: profile.name,
        hosts: [...hosts],
        pageTypes: [...new Set(profile.page_types.map(({ name }) => name))],
        problem: null,
        isRunning: lockedHalves(folder).length > 0,
        isPauseAsked: (await readFlags(folder)).pause.length > 0,
        run,
      };
    } catch (error) {
      const problem = (error as Error).message;
      const nothing = { profile: null, hosts: [], pageTypes: [], isRunning: false, isPauseAsked: false };
      return { id, folder, ...nothing, problem, run };
    }
  }

  async #choice(
    { status, older, type, match }: ChoiceQuestion,
    { settings }: Workspace,
  ): Promise<Choice & { isEmpty: boolean }> {
    const { chooser, parseAge, parseStatuses, parseTypes } = await import("./look.ts");
    const known = settings.profile.page_types.map(({ name }) => name);
    const now = this.#parts.clock.now();
    const choice: Choice = {
      ...(status.length > 0 && { statuses: parseStatuses(status) }),
      ...(older !== null && { before: Math.floor(now / 1_000 - parseAge(older)) }),
      ...(type.length > 0 && { types: parseTypes(type, known) }),
      ...(match.length > 0 && { match }),
    };
    if (listSize(match) > MOST_STEPS) {
      throw new TrawlError("BAD_USAGE", "The regular expressions of match are too large together.", {
        hint: "Use globs, such as https://github.com/*/wiki.",
      });
    }
    // A wrong pattern is reported now, not in the middle of a run.
    chooser(choice);
    return { ...choice, isEmpty: Object.keys(choice).length === 0 };
  }

  async #read<Name extends ArchiveReadingName>(
    place: KnownWorkspace,
    name: Name,
    args: ArchiveReadingArgs<Name>,
    signal?: AbortSignal,
  ): Promise<ArchiveReadingAnswer<Name>> {
    return this.#parts.reading.archive(await this.#open(place), name, args, signal);
  }

  async #expectRunning({ root }: KnownWorkspace): Promise<void> {
    const { lockedHalves } = await import("./workspace.ts");
    if (lockedHalves(root).length > 0) return;
    throw new TrawlError("WRONG_STATE", "Nothing is running in this archive.", { hint: "Start it first." });
  }

  /** Waits for a signal to be obeyed. Another process may take its time, and a client may not want to wait. */
  async #stopOther(root: string, signal?: AbortSignal): Promise<void> {
    const [{ clearStop, readFlags, requestStop }, { lockedHalves }] = await Promise.all([
      import("./control.ts"),
      import("./workspace.ts"),
    ]);
    if (!existsSync(root)) return;
    while (lockedHalves(root).length > 0) {
      // Two runs may be active at once, and each removes the file when it obeys.
      if ((await readFlags(root)).stop.length === 0) await requestStop(root);
      signal?.throwIfAborted();
      await new Promise<void>((resolve) => void this.#parts.clock.after(LOOK_MS, resolve));
    }
    await clearStop(root);
  }
}

const busyHere = (id: number): TrawlError => new TrawlError("WORKSPACE_BUSY", `This server is running archive ${id}.`);
