/** One JSON value on one line, safe to read in a terminal as well. */

/** JSON leaves DEL and C1 controls as they are, and some terminals obey them. */
const CONTROLS = /[\u007f-\u009f]/g;

export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(CONTROLS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const jsonLine = (value: unknown): string => `${jsonText(value)}\n`;
