/**
 * The path of a key `__proto__` in plain data; null when there is none. zod leaves it out of maps without a word, because assigning it
 * would change what they inherit; and what is left out silently looks as if it had been understood.
 */
export function lostName(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "__proto__") return name;
    const lost = lostName(inner);
    if (lost !== null) return `${name}.${lost}`;
  }
  return null;
}

export const LOST_NAME = "this name cannot be used";
