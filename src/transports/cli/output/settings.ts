/** Settings in lines, as YAML. */

/** One setting as YAML. JSON is YAML, and needs no rules about quotes. */
export const settingLine = (name: string, value: unknown): string =>
  `${name}: ${JSON.stringify(value).replaceAll('","', '", "')}`;
