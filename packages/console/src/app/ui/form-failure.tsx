import type { JSX } from "preact";
import type { ApiFailure } from "../api/failure.ts";
import { Failure } from "./states.tsx";

interface FormFailureProps {
  readonly failure: ApiFailure | null;
  /** Names of the fields that show their own problems. */
  readonly fields: readonly string[];
}

/** Shows a failure unless the form's fields already do. */
export function FormFailure({ failure, fields }: FormFailureProps): JSX.Element | null {
  if (failure === null) return null;
  const faulty = Object.keys(failure.errors);
  const isShown = faulty.length > 0 && faulty.every((name) => fields.includes(name));
  if (!isShown) return <Failure failure={failure} />;
  return (
    <p class="visually-hidden" role="alert">
      {failure.message}
    </p>
  );
}
