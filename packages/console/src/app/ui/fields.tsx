import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Error message for the value. */
  readonly problem?: string | undefined;
  /** Receives the attributes that associate a control with its label, hint and problem. */
  readonly children: (control: ControlAttributes) => ComponentChildren;
}

interface ControlAttributes {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

export function Field({ label, hint, problem, children }: FieldProps): JSX.Element {
  const id = useId();
  return (
    <div class={problem === undefined ? "field" : "field invalid"}>
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": describedBy(id, hint, problem),
        "aria-invalid": problem !== undefined,
      })}
      <Remarks {...{ id, hint, problem }} />
    </div>
  );
}

/** The problem and the hint of a control. */
function Remarks({
  id,
  hint,
  problem,
}: Omit<FieldProps, "label" | "children"> & { readonly id: string }): JSX.Element {
  return (
    <>
      {problem !== undefined && (
        <p id={`${id}-problem`} class="problem">
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </>
  );
}

function describedBy(id: string, hint: ComponentChildren, problem: string | undefined): string | undefined {
  const ids = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`].filter(Boolean);
  return ids.length > 0 ? ids.join(" ") : undefined;
}

interface ValueProps extends Omit<FieldProps, "children"> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface TextFieldProps extends ValueProps {
  readonly type?: "text" | "email" | "date" | "password" | "search";
  readonly placeholder?: string | undefined;
  readonly inputMode?: "numeric" | "decimal" | "url";
  /** Suggestions. */
  readonly options?: readonly { readonly value: string; readonly label?: string }[];
  readonly max?: string;
}

export function TextField(props: TextFieldProps): JSX.Element {
  const { label, hint, problem, value, onChange, type = "text", options } = props;
  const listId = useId();
  // Preact has a separate type for each type of input
  const typed = { type } as { readonly type: "text" };
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => (
        <>
          <input
            {...control}
            {...typed}
            value={value}
            placeholder={props.placeholder}
            inputMode={props.inputMode}
            max={props.max}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            list={options === undefined ? undefined : listId}
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
          {options !== undefined && (
            <datalist id={listId}>
              {options.map((option) => (
                <option key={option.value} value={option.value} label={option.label} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

interface SelectFieldProps extends ValueProps {
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export function SelectField({
  label,
  hint,
  problem,
  value,
  onChange,
  options,
}: SelectFieldProps): JSX.Element {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => (
        <select {...control} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckFieldProps {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly problem?: string | undefined;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function CheckField({ label, hint, problem, isChecked, onChange }: CheckFieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-describedby={describedBy(id, hint, problem)}
        aria-invalid={problem !== undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <Remarks {...{ id, hint, problem }} />
    </div>
  );
}
