import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Error message for the value. */
  readonly fault?: string | undefined;
  /** Receives the attributes that associate a control with its label, hint and fault. */
  readonly children: (control: ControlAttributes) => ComponentChildren;
}

interface ControlAttributes {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

export function Field({ label, hint, fault, children }: FieldProps): JSX.Element {
  const id = useId();
  return (
    <div class={fault === undefined ? "field" : "field invalid"}>
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": describedBy(id, hint, fault),
        "aria-invalid": fault !== undefined,
      })}
      <Remarks {...{ id, hint, fault }} />
    </div>
  );
}

/** The fault and the hint of a control. */
function Remarks({
  id,
  hint,
  fault,
}: Omit<FieldProps, "label" | "children"> & { readonly id: string }): JSX.Element {
  return (
    <>
      {fault !== undefined && (
        <p id={`${id}-fault`} class="fault">
          {fault}
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

function describedBy(id: string, hint: ComponentChildren, fault: string | undefined): string | undefined {
  const ids = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean);
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
  readonly isRequired?: boolean;
  /** Suggestions. */
  readonly options?: readonly { readonly value: string; readonly label?: string }[];
  readonly max?: string;
}

export function TextField(props: TextFieldProps): JSX.Element {
  const { label, hint, fault, value, onChange, type = "text", options, isRequired = false } = props;
  const listId = useId();
  // Preact has a separate type for each type of input
  const typed = { type } as { readonly type: "text" };
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <>
          <input
            {...control}
            {...typed}
            value={value}
            placeholder={props.placeholder}
            inputMode={props.inputMode}
            required={isRequired}
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

export function SelectField({ label, hint, fault, value, onChange, options }: SelectFieldProps): JSX.Element {
  return (
    <Field label={label} hint={hint} fault={fault}>
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
  readonly fault?: string | undefined;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function CheckField({ label, hint, fault, isChecked, onChange }: CheckFieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-describedby={describedBy(id, hint, fault)}
        aria-invalid={fault !== undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <Remarks {...{ id, hint, fault }} />
    </div>
  );
}
