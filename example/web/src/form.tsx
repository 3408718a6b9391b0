import {
  createContext,
  use,
  useEffect,
  useId,
  useRef,
  type ComponentProps,
  type ReactNode,
} from "react";
import { toFieldErrors, type FieldErrors } from "./field-errors.ts";

const FieldErrorsContext = createContext<FieldErrors>({});

interface FormProps {
  /** The words on the button. */
  readonly submit: string;
  /** What the last attempt has failed with. */
  readonly error: unknown;
  readonly isPending: boolean;
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => void;
  readonly children: ReactNode;
}

/** A form whose fields the API validates: its issues are shown next to them, and the first one gets the focus. */
export const Form = ({ submit, error, isPending, onSubmit, children }: FormProps) => {
  const form = useRef<HTMLFormElement>(null);
  const errors = toFieldErrors(error);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const fields = [...new FormData(event.currentTarget)];
        if (!isPending) onSubmit(Object.fromEntries(fields) as Record<string, string>);
      }}
    >
      <FieldErrorsContext value={errors}>{children}</FieldErrorsContext>
      {Object.keys(errors).length === 0 && <Failure error={error} />}
      {/* a disabled button would lose the focus */}
      <button className="primary" aria-disabled={isPending}>
        {submit}
      </button>
    </form>
  );
};

interface FieldProps extends ComponentProps<"input"> {
  readonly name: string;
  readonly label: string;
}

/** An input with its label and its error. */
export const Field = ({ label, ...input }: FieldProps) => {
  const id = useId();
  const error = use(FieldErrorsContext)[input.name];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        {...input}
      />
      {error !== undefined && (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
};

/** Says why something has failed, if it has. */
export const Failure = ({ error }: { readonly error: unknown }) =>
  error instanceof Error && (
    <p className="error" role="alert">
      {error.message}
    </p>
  );
