import {
  createContext,
  use,
  useEffect,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type ReactNode,
} from "react";
import { ReplyError } from "sallyport/client";
import { toWords } from "./words.ts";

/** The names of the fields that are wrong. */
const WrongFieldsContext = createContext<readonly string[]>([]);

interface FormProps {
  /** The words on the button. */
  readonly submit: string;
  /** What the last attempt has failed with. */
  readonly error: unknown;
  readonly isPending: boolean;
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => void;
  readonly children: ReactNode;
}

/**
 * A form whose fields are checked by the browser first, and then by the API. What is wrong is said next to each field, and
 * the first one gets the focus.
 */
export const Form = ({ submit, error, isPending, onSubmit, children }: FormProps) => {
  const form = useRef<HTMLFormElement>(null);
  const [unsendable, setUnsendable] = useState<readonly string[]>([]);
  const refused = error instanceof ReplyError ? error.issues.map(({ path }) => path.join(".")) : [];
  const wrong = unsendable.length > 0 ? unsendable : refused;
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error, unsendable]);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isPending) return;
        const { currentTarget } = event;
        const invalid = [
          ...currentTarget.querySelectorAll<HTMLInputElement>(":is(input, textarea):invalid"),
        ];
        setUnsendable(invalid.map(({ name }) => name));
        invalid[0]?.focus();
        if (invalid.length > 0) return;
        onSubmit(Object.fromEntries(new FormData(currentTarget)) as Record<string, string>);
      }}
    >
      <WrongFieldsContext value={wrong}>{children}</WrongFieldsContext>
      {wrong.length === 0 && <Failure error={error} />}
      {/* a disabled button would lose the focus */}
      <button className="primary" aria-disabled={isPending}>
        {submit}
      </button>
    </form>
  );
};

/** An input with one line or several. */
type Input = HTMLInputElement & HTMLTextAreaElement;

/** Returns the ref of an input that shows a value, but not while someone is typing in it. */
export const useShown = (value: ComponentProps<"input">["defaultValue"]) => {
  const input = useRef<Input>(null);
  useEffect(() => {
    const { current } = input;
    if (current && value !== undefined && current !== document.activeElement)
      current.value = String(value);
  }, [value]);
  return input;
};

interface FieldProps extends ComponentProps<"input"> {
  readonly name: string;
  readonly label: string;
  /** What people read if the field is wrong. */
  readonly problem: string;
  /** Whether it has several lines. */
  readonly isLong?: boolean;
}

/** An input with its label and its error. */
export const Field = ({ label, problem, isLong = false, ...input }: FieldProps) => {
  const Tag = (isLong ? "textarea" : "input") as "input";
  const id = useId();
  const ref = useShown(input.defaultValue);
  const isWrong = use(WrongFieldsContext).includes(input.name);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Tag
        ref={ref}
        id={id}
        required
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `${id}-error` : undefined}
        {...input}
      />
      {isWrong && (
        <p className="error" id={`${id}-error`}>
          {problem}
        </p>
      )}
    </div>
  );
};

/** Says why something has failed, if it has. */
export const Failure = ({ error }: { readonly error: unknown }) =>
  error instanceof Error && (
    <p className="error" role="alert">
      {toWords(error)}
    </p>
  );
