/** Text from the web made safe for a terminal: a title must not move the cursor, set a colour or turn the line around. */

/** C0 and C1 control characters, DEL, line separators, and the marks that change the direction of text (CVE-2021-42574). */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const BLANK = /[\t\n\r\u0085\u2028\u2029]/;

export const clean = (text: string): string => text.replace(UNSAFE, (mark) => (BLANK.test(mark) ? " " : ""));
