/** The address of the nth host. 127.0.0.1 is left out: the crawl starts there. */
export const hostAddress = (index: number): string => `127.1.${index >> 8}.${index & 255}`;
