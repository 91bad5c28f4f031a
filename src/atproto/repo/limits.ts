/** How far a CAR may go before it is refused. Each number has its reason; none is met by a repo of the network. */

/** Offsets are kept as 32-bit integers, and V8 is quickest while they have no sign. */
export const LARGEST_CAR_BYTES = 2 ** 31 - 1;

/** A header with one root has 59 bytes. More roots are allowed, and mean nothing. */
export const LARGEST_HEADER_BYTES = 4_096;

/** A key's layer is counted in pairs of zero bits of a SHA-256, so that a tree has at most this many layers. */
export const DEEPEST_TREE = 128;

/** What the reference implementation allows. */
export const LONGEST_KEY_BYTES = 1_024;

/** A block of an archive counts collections in 16 bits. */
export const MOST_COLLECTIONS = 65_535;

/** Deeper than any lexicon, and far from what overflows the stack here or in a JSON reader. */
export const DEEPEST_RECORD = 128;

/** Keys out of order are kept as strings to find those that occur twice, at many times the memory of their bytes. */
export const MOST_UNORDERED_KEYS = 1_000;

/**
 * Records may take so many times the CAR. Real ones take less than once; but a tree may name one large record a million
 * times, so that without a limit a few megabytes become terabytes.
 */
export const LARGEST_OUTPUT_RATIO = 8;

/** Beyond the ratio, so that a handful of small, equal records is never refused. */
export const OUTPUT_ALLOWANCE_BYTES = 1_048_576;

/** All undecodable records are counted; the list is for people. */
export const MOST_UNDECODABLE_LISTED = 1_000;

/** A TID has 13 characters; revs of old commits may have another form. */
export const LONGEST_REV = 64;
