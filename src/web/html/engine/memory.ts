/** Memory for what grows with the page. Nothing is freed: an engine that has grown large is given up as a whole. */

const PAGE_BYTES = 1 << 16;

let next: usize = (__heap_base + 15) & ~15;

/** Room for so many bytes. Ends the reading when the system has no memory left. */
export function allocate(bytes: i32): usize {
  const address = next;
  next = (address + <usize>bytes + 15) & ~15;
  const missing = <i32>next - memory.size() * PAGE_BYTES;
  if (missing > 0 && memory.grow((missing + PAGE_BYTES - 1) / PAGE_BYTES) < 0) unreachable();
  return address;
}

/** The same for a list that is too long for where it stands: `used` bytes of it move along. */
export function moveTo(bytes: i32, from: usize, used: i32): usize {
  const address = allocate(bytes);
  memory.copy(address, from, used);
  return address;
}
