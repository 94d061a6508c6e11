// The fields of a question, from its JSON Schema, and the answer that their texts make.  The runtime checks the answer;
// the browser checks what its own inputs can.
import type { AnswerSchema, FieldSchema } from "../api/types";

export interface Choice {
  value: unknown;
  title: string;
}

export type FieldKind = "text" | "number" | "boolean" | "one" | "several" | "list" | "json";

export interface Field {
  name: string;
  title: string;
  about?: string;
  kind: FieldKind;
  schema: FieldSchema;
  choices: Choice[];
  isRequired: boolean;
}

/** What is in the inputs: a text, or the numbers of the choices that are marked. */
export type Filled = Record<string, string | number[]>;

const titled = (list: FieldSchema["oneOf"]): Choice[] | undefined =>
  list?.length && list.every((one) => "const" in one) ? list.map((one) => ({ value: one.const, title: one.title || String(one.const) })) : undefined;

function choicesOf(schema: FieldSchema): Choice[] {
  const names = schema.enumNames?.length === schema.enum?.length ? schema.enumNames : undefined;
  if (schema.enum?.length) return schema.enum.map((value, i) => ({ value, title: names?.[i] || (typeof value === "string" ? value : JSON.stringify(value)) }));
  return titled(schema.oneOf) ?? titled(schema.anyOf) ?? [];
}

function kindOf(schema: FieldSchema, choices: Choice[]): FieldKind {
  if (schema.type === "array") return choices.length ? "several" : ["string", "number", "integer"].includes(schema.items?.type ?? "") ? "list" : "json";
  if (choices.length) return "one";
  if (schema.type === "boolean") return "boolean";
  if (schema.type === "number" || schema.type === "integer") return "number";
  return schema.type === "object" ? "json" : "text";
}

/** A question without a schema is answered with a text. */
export function fieldsOf(schema: AnswerSchema | undefined): Field[] {
  return Object.entries(schema?.properties ?? { answer: { type: "string" } }).map(([name, of]) => {
    const choices = choicesOf(of.type === "array" ? (of.items ?? {}) : of);
    return { name, title: of.title || name, about: of.description, kind: kindOf(of, choices), schema: of, choices, isRequired: schema?.required?.includes(name) ?? false };
  });
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function preset(field: Field): string | number[] {
  const value = field.schema.default;
  if (field.kind === "several") return field.choices.flatMap((c, i) => (Array.isArray(value) && value.some((v) => same(v, c.value)) ? [i] : []));
  if (value === undefined) return "";
  if (field.kind === "one") return String(field.choices.findIndex((c) => same(c.value, value))).replace("-1", "");
  if (field.kind === "list" && Array.isArray(value)) return value.join(", ");
  return typeof value === "string" && field.kind === "text" ? value : JSON.stringify(value);
}

export const presetsOf = (fields: Field[]): Filled => Object.fromEntries(fields.map((field) => [field.name, preset(field)]));

function listOf(field: Field, text: string): unknown[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter(Boolean).map((part) => (field.schema.items?.type === "string" ? part : Number(part)));
}

function valueOf(field: Field, filled: string | number[]): unknown {
  if (Array.isArray(filled)) return filled.map((i) => field.choices[i]!.value);
  if (field.kind === "one") return field.choices[Number(filled)]!.value;
  if (field.kind === "boolean") return filled === "true";
  if (field.kind === "number") return Number(filled);
  if (field.kind === "list") return listOf(field, filled);
  return field.kind === "json" ? JSON.parse(filled) : filled;
}

export const isEmpty = (field: Field, filled: Filled): boolean => !filled[field.name]?.length;

/** What is empty is left out; a list that must be there may be empty.  Throws if a text is not JSON and should be. */
export function payloadOf(fields: Field[], filled: Filled): Record<string, unknown> {
  const given = fields.filter((field) => !isEmpty(field, filled) || (field.isRequired && field.kind === "several"));
  return Object.fromEntries(given.map((field) => [field.name, valueOf(field, filled[field.name]!)]));
}
