/**
 * The name of a fact outside the database: `foundOn`, in JSON, CSV, filters and the library, for the column `found_on`. SQL
 * keeps the names of columns, because it does not tell capitals from small letters.
 */

/** Fields whose words differ too. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  links_out: "outlinks",
  raw_links_out: "raw_outlinks",
  title_2: "second_title",
  description_2: "second_description",
  h1_2: "second_h1",
  h2_2: "second_h2",
};

export const fieldName = (fact: string): string => {
  const words = Object.hasOwn(OTHER_WORDS, fact) ? OTHER_WORDS[fact]! : fact;
  return words.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
};

/** The database's Yes and No as booleans; `-` and missing values as null. */
export const truthOf = (word: unknown): boolean | null => (word === "Yes" ? true : word === "No" ? false : null);
