/** Which control a setting gets, from its JSON Schema, and how what was typed becomes its value. */
import type { Setting } from "../lib/contract.ts";
import { optionLabel } from "../lib/words.ts";

export type SettingControl =
  | { kind: "switch" }
  | { kind: "number"; isWhole: boolean; min: number | null; above: number | null; max: number | null }
  | { kind: "choice"; options: string[] }
  | { kind: "choices"; options: string[] }
  | { kind: "list" }
  | { kind: "pairs" }
  | { kind: "text" };

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  items?: Schema;
  anyOf?: Schema[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  additionalProperties?: unknown;
}

export function controlOf({ schema }: Pick<Setting, "schema">): SettingControl {
  const known = withoutNull(schema as Schema);
  const type = typeOf(known);
  if (known.enum !== undefined) return { kind: "choice", options: known.enum.map(String) };
  if (type === "boolean") return { kind: "switch" };
  if (type === "number" || type === "integer") {
    return {
      kind: "number",
      isWhole: type === "integer",
      min: known.minimum ?? null,
      above: known.exclusiveMinimum ?? null,
      max: largest(known.maximum),
    };
  }
  if (type === "array") {
    const options = known.items?.enum;
    return options === undefined ? { kind: "list" } : { kind: "choices", options: options.map(String) };
  }
  return type === "object" ? { kind: "pairs" } : { kind: "text" };
}

/** Whether null is a value of its own ("look for one", "the built-in list"). */
export const allowsNull = ({ schema }: Pick<Setting, "schema">): boolean => {
  const { anyOf, type } = schema as Schema;
  return anyOf?.some((one) => one.type === "null") === true || (Array.isArray(type) && type.includes("null"));
};

const withoutNull = (schema: Schema): Schema => schema.anyOf?.find((one) => one.type !== "null") ?? schema;
const typeOf = ({ type }: Schema): string | undefined =>
  Array.isArray(type) ? type.find((one) => one !== "null") : type;
/** JSON Schema expresses "any integer" by a very large limit. */
const largest = (maximum: number | undefined): number | null =>
  maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? null : maximum;

export const sameValue = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** Only what differs from the base: this is sent, and counted as changed. */
export function changedSettings(
  settings: readonly Pick<Setting, "name">[],
  values: Record<string, unknown>,
  base: Record<string, unknown>,
): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const { name } of settings) {
    if (name in values && !sameValue(values[name], base[name])) changed[name] = values[name];
  }
  return changed;
}

/** The label of a setting, or its name while the settings load. */
export const settingLabel = (settings: readonly Pick<Setting, "name" | "label">[], name: string): string =>
  settings.find((setting) => setting.name === name)?.label ?? name;

type ShownSetting = Pick<Setting, "zero"> & Partial<Pick<Setting, "schema">>;

/** A value in a few words. */
export function shownValue({ zero, schema = {} }: ShownSetting, value: unknown): string {
  if (value === 0 && zero !== null) return zero.toLowerCase();
  if (value === null || value === undefined) return "not set";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value))
    return value.length === 0 ? "none" : value.map((one) => shownOption(schema, one)).join(", ");
  if (typeof value === "object") return Object.keys(value).length === 0 ? "none" : Object.keys(value).join(", ");
  return Number.isNaN(value) ? "not a number" : shownOption(schema, value);
}

/** One of a few choices has words; anything else is shown as it is. */
const shownOption = (schema: Setting["schema"], value: unknown): string => {
  const control = controlOf({ schema });
  return control.kind === "choice" || control.kind === "choices" ? optionLabel(String(value)) : String(value);
};

/** Settings whose name, label or description contains every typed word. */
export function searchSettings<T extends Pick<Setting, "name" | "label" | "description" | "group">>(
  settings: readonly T[],
  typed: string,
): T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter(({ name, label, description, group }) => {
    const text = `${name} ${label} ${description} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The first problem with a value that can be checked here; the server checks the rest. */
export function problemOfValue(setting: Pick<Setting, "schema">, value: unknown): string | null {
  const control = controlOf(setting);
  if (control.kind !== "number") return null;
  if (typeof value !== "number" || Number.isNaN(value)) return "Enter a number.";
  if (control.isWhole && !Number.isInteger(value)) return "Enter a whole number.";
  if (control.min !== null && value < control.min) return `At least ${control.min}.`;
  if (control.above !== null && value <= control.above) return `More than ${control.above}.`;
  if (control.max !== null && value > control.max) return `At most ${control.max}.`;
  return null;
}
