// The form of a question: one input for each field of its schema.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { RespondActionArgs } from "../api/types";
import { fieldsOf, isEmpty, payloadOf, presetsOf, type Choice, type Field, type Filled } from "../state/answer_form";
import { safe } from "../text/format";
import { t } from "../text/text";
import type { CardState } from "./answer";

interface InputState {
  field: Field;
  id: string; // unique on the page
  filled: string | number[];
  fill: (filled: string | number[]) => void;
  legend: string;
}

const FEW = 8;
const YES_NO = (): Choice[] => [true, false].map((value) => ({ value, title: t(value ? "form.yes" : "form.no") }));

const about = (id: string, field: Field) => (field.about && field.about !== field.title ? `${id}-about` : undefined);

function About({ id, field }: { id: string; field: Field }) {
  return about(id, field) ? (
    <p class="label" id={about(id, field)}>
      {safe(field.about!)}
    </p>
  ) : null;
}

/** The description is not part of the name that a screen reader says for the input. */
function Labelled({ id, field, legend, children }: Pick<InputState, "id" | "field" | "legend"> & { children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{legend}</label>
      <About id={id} field={field} />
      {children}
    </div>
  );
}

/** Few choices are all on the screen. */
function Marks({ field, id, filled, fill, legend, choices }: InputState & { choices: Choice[] }) {
  const isSeveral = Array.isArray(filled);
  const value = (i: number): string => (field.kind === "boolean" ? String(choices[i]!.value) : String(i));
  const isOn = (i: number): boolean => (isSeveral ? filled.includes(i) : filled === value(i));
  const turn = (i: number): void => fill(!isSeveral ? value(i) : isOn(i) ? filled.filter((one) => one !== i) : [...filled, i].sort((a, b) => a - b));
  return (
    <fieldset aria-describedby={about(id, field)}>
      <legend>{legend}</legend>
      <About id={id} field={field} />
      {choices.map((choice, i) => (
        <label class="choice" key={i}>
          <input type={isSeveral ? "checkbox" : "radio"} name={id} checked={isOn(i)} required={field.isRequired && !isSeveral} onChange={() => turn(i)} />
          {safe(choice.title)}
        </label>
      ))}
    </fieldset>
  );
}

function Select({ field, id, filled, fill, legend }: InputState) {
  return (
    <Labelled {...{ id, field, legend }}>
      <select id={id} aria-describedby={about(id, field)} required={field.isRequired} onChange={(e) => fill(e.currentTarget.value)}>
        <option value="" selected={filled === ""} />
        {field.choices.map((choice, i) => (
          <option key={i} value={i} selected={filled === String(i)}>
            {safe(choice.title)}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** The browser's own input for the format, which checks it. */
function Line({ field, id, filled, fill, legend }: InputState) {
  const { schema } = field;
  const common = {
    id,
    "aria-describedby": about(id, field),
    required: field.isRequired,
    minLength: schema.minLength,
    maxLength: schema.maxLength,
    value: String(filled),
    onInput: (e: { currentTarget: HTMLInputElement }) => fill(e.currentTarget.value),
  };
  const input = () => {
    if (field.kind === "number") return <input type="number" min={schema.minimum} max={schema.maximum} step={schema.type === "integer" ? 1 : "any"} {...common} />;
    if (schema.format === "email") return <input type="email" {...common} />;
    if (schema.format === "uri") return <input type="url" {...common} />;
    if (schema.format === "date") return <input type="date" {...common} />;
    return <input type="text" placeholder={schema.format === "date-time" ? "2026-01-31T12:00:00Z" : undefined} {...common} />;
  };
  return (
    <Labelled {...{ id, field, legend }}>
      {input()}
    </Labelled>
  );
}

function Text({ field, id, filled, fill, legend }: InputState) {
  const isJson = field.kind === "json";
  return (
    <Labelled {...{ id, field, legend }}>
      <textarea
        id={id}
        rows={isJson ? 5 : 2}
        class={isJson ? "mono" : ""}
        aria-describedby={about(id, field)}
        required={field.isRequired}
        value={String(filled)}
        onInput={(e) => fill(e.currentTarget.value)}
      />
    </Labelled>
  );
}

function Input({ of, isOnly }: { of: Omit<InputState, "legend">; isOnly: boolean }) {
  const { field } = of;
  const name = safe(field.title) + (field.kind === "list" ? ` (${t("form.commas")})` : "");
  const state = { ...of, legend: isOnly && field.title === field.name ? t("form.answer") : name + (field.isRequired ? "" : ` (${t("form.optional")})`) };
  if (field.kind === "boolean") return <Marks {...state} choices={YES_NO()} />;
  if (field.kind === "several" || (field.kind === "one" && field.choices.length <= FEW)) return <Marks {...state} choices={field.choices} />;
  if (field.kind === "one") return <Select {...state} />;
  return field.kind === "json" || (isOnly && field.kind === "text" && !field.schema.format) ? <Text {...state} /> : <Line {...state} />;
}

export function QuestionPane({ action, answer, isBusy }: CardState) {
  const fields = fieldsOf(action.schema);
  const filled = useSignal<Filled>(presetsOf(fields));
  const failure = useSignal("");
  const isOnly = fields.length === 1;
  function submit(e: Event) {
    e.preventDefault();
    failure.value = "";
    try {
      void answer({ decision: "answer", payload: payloadOf(fields, filled.value) as RespondActionArgs["payload"] });
    } catch (error) {
      failure.value = t("edit.bad", { why: (error as Error).message });
    }
  }
  return (
    <form class="pane plain" onSubmit={submit}>
      {fields.map((field) => (
        <Input
          key={field.name}
          isOnly={isOnly}
          of={{ field, id: `${action.actionId}-${field.name}`, filled: filled.value[field.name]!, fill: (to) => (filled.value = { ...filled.value, [field.name]: to }) }}
        />
      ))}
      {failure.value && (
        <p class="error" role="alert">
          {failure.value}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy || (isOnly && isEmpty(fields[0]!, filled.value))}>
          {t("action.answer")}
        </button>
      </div>
    </form>
  );
}
