/** Small choices that a browser keeps for a person, such as the width of a column. Without storage they last until the page is left. */

/** What was kept, or null when there is nothing, or nothing that can be read: an older version may have written it. */
export function readKept<T>(
  storage: Pick<Storage, "getItem">,
  key: string,
  isValid: (value: unknown) => value is T,
): T | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(key) ?? "null");
    return isValid(value) ? value : null;
  } catch {
    return null;
  }
}

export function writeKept(storage: Pick<Storage, "setItem">, key: string, value: unknown): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // Full, or not allowed: the choice holds for now.
  }
}
