/** Whether an error says that there is no room left, however it was wrapped on its way. */

export function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") return true;
  }
  return false;
}
