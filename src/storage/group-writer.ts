/**
 * Writes whole files in groups. Syncing is what makes a small file expensive; files written together cost the disk
 * little more than one, and a folder that several of them share is synced once.
 */
import { notWritable, TEMPORARY_SUFFIX } from "./durable.ts";
import { type FileSystem, type OpenFile, realFileSystem } from "./file-system.ts";

interface Job {
  /** Null when there is nothing to write, only names to make durable. */
  file: { handle: OpenFile; temporary: string; path: string } | null;
  folders: string[];
  done: () => void;
  failed: (error: unknown) => void;
}

export class GroupWriter {
  readonly #fs: FileSystem;
  #waiting: Job[] = [];
  #flushing: Promise<void> | null = null;

  constructor(fs: FileSystem = realFileSystem) {
    this.#fs = fs;
  }

  /** Resolves when the file and the names in `folders` are durable. The file's own folder must be among them. */
  async write(path: string, bytes: Uint8Array, permissions: number, folders: string[]): Promise<void> {
    const temporary = `${path}.${process.pid}${TEMPORARY_SUFFIX}`;
    try {
      const handle = await this.#fs.open(temporary, "w", permissions);
      try {
        await handle.writeFile(bytes);
        // The mode given to open is subject to the umask.
        await handle.chmod(permissions);
      } catch (error) {
        await handle.close();
        throw error;
      }
      await this.#join({ handle, temporary, path }, folders);
    } catch (error) {
      await this.#fs.rm(temporary, { force: true });
      throw notWritable(path, error);
    }
  }

  /** Makes the names in these folders durable. */
  sync(folders: string[]): Promise<void> {
    return this.#join(null, folders);
  }

  #join(file: Job["file"], folders: string[]): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ file, folders, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  async #flush(): Promise<void> {
    // One turn later, so that requests made in the same turn share this sync.
    await null;
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const synced = await Promise.all(group.map((job) => this.#putInPlace(job)));
      const folders = new Set(synced.filter((job) => job !== null).flatMap((job) => job.folders));
      try {
        await Promise.all([...folders].map((folder) => this.#fs.syncFolder(folder)));
        for (const job of synced) job?.done();
      } catch (error) {
        for (const job of synced) job?.failed(error);
      }
    }
    this.#flushing = null;
  }

  /** Syncs a file and gives it its name. Returns null when that failed; the job has been rejected by then. */
  async #putInPlace(job: Job): Promise<Job | null> {
    const { file } = job;
    if (file === null) return job;
    try {
      try {
        await file.handle.sync();
      } finally {
        await file.handle.close();
      }
      await this.#fs.rename(file.temporary, file.path);
      return job;
    } catch (error) {
      job.failed(error);
      return null;
    }
  }
}
