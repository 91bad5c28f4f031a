/** Waits, turn by turn of the event loop, until something has become true; the test's timeout is the only limit. */

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}
