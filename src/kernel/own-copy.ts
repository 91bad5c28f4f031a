/** A text cut out of a page keeps the whole page in memory; what is kept for longer than the page must not. */
export const ownCopy = (text: string): string => Buffer.from(text).toString();
