/** Reads structured data for people: the JSON-LD of a page, and what the audit says about it. Pure. */

const SCRIPT = /<script\b[^>]*\btype\s*=\s*["']?application\/ld\+json["']?[^>]*>([\s\S]*?)<\/script>/gi;

/** The blocks of JSON-LD, indented; one that is not JSON stays as it is. */
export function jsonLdIn(html: string): string[] {
  return [...html.matchAll(SCRIPT)].map(([, text]) => {
    const written = text!.trim();
    try {
      return JSON.stringify(JSON.parse(written), null, 2);
    } catch {
      return written;
    }
  });
}

const KINDS: Record<string, string> = {
  parse_error: "Cannot be read",
  required: "Missing, and required by Google",
  recommended: "Missing, and recommended by Google",
  duplicate_id: "Two different descriptions with one @id",
};

/** `required Product: name` as a sentence. */
export function problemWords(line: string): string {
  const [kind = "", ...rest] = line.split(" ");
  const known = KINDS[kind];
  return known === undefined ? line : `${known}: ${rest.join(" ")}`;
}
