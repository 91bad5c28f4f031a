/** A disk that really is full: a small tmpfs. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export interface SmallDisk {
  folder: string;
  /** Takes all space but this much. */
  fill(leftBytes: number): void;
  /** Makes the room again. */
  free(): void;
}

/** Null where this process may not mount: then the test is skipped, on CI as well. */
export function smallDisk(t: TestContext, size: string): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), "trawl-small-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  t.after(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  const filler = join(folder, "filler");
  const free = () => rmSync(filler, { force: true });
  return {
    folder,
    fill(leftBytes) {
      free();
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
    },
    free,
  };
}
