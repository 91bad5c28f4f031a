/** What the usual HTTP statuses are called. */

const NAMES = new Map([
  [200, "OK"],
  [201, "Created"],
  [204, "No content"],
  [206, "Partial content"],
  [301, "Moved permanently"],
  [302, "Found elsewhere"],
  [303, "See other"],
  [304, "Not modified"],
  [307, "Temporary redirect"],
  [308, "Permanent redirect"],
  [400, "Bad request"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "Not found"],
  [405, "Method not allowed"],
  [406, "Not acceptable"],
  [408, "Request timeout"],
  [410, "Gone"],
  [429, "Too many requests"],
  [451, "Unavailable for legal reasons"],
  [500, "Internal server error"],
  [502, "Bad gateway"],
  [503, "Service unavailable"],
  [504, "Gateway timeout"],
]);

/** The status with its name, or alone when it has none. */
export const statusText = (status: number): string => [status, NAMES.get(status)].filter(Boolean).join(" ");
