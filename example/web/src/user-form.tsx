import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { mutationOptions } from "sallyport/tanstack-query";
import { client, refreshUsers, type User } from "./client.ts";
import { toFieldErrors } from "./field-errors.ts";

interface Props {
  /** The user to edit; undefined to create one. */
  readonly user: User | undefined;
  readonly onDone: () => void;
}

/** Creates or edits a user. The API validates the fields, and its issues are shown next to them. */
export const UserForm = ({ user, onDone }: Props) => {
  const create = useMutation(mutationOptions(client, "post /v1/users"));
  const update = useMutation(mutationOptions(client, "patch /v1/users/:id"));
  const { error, isPending } = user ? update : create;
  const errors = toFieldErrors(error);

  const submit = async (form: HTMLFormElement) => {
    const fields = Object.fromEntries(new FormData(form)) as Pick<User, "email" | "name" | "role">;
    if (user) await update.mutateAsync({ id: user.id, ...fields });
    else await create.mutateAsync(fields);
    form.reset();
    onDone();
    await refreshUsers();
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // the error is shown below, from the state of the mutation
        submit(event.currentTarget).catch(() => undefined);
      }}
    >
      <Field name="name" label="Name" error={errors["name"]}>
        <input id="name" name="name" defaultValue={user?.name} />
      </Field>
      <Field name="email" label="E-mail" error={errors["email"]}>
        <input id="email" name="email" type="email" defaultValue={user?.email} />
      </Field>
      <Field name="role" label="Role" error={errors["role"]}>
        <select id="role" name="role" defaultValue={user?.role}>
          <option value="member">Member</option>
          <option value="admin">Admin</option>
        </select>
      </Field>
      {error && Object.keys(errors).length === 0 && <p className="error">{error.message}</p>}
      <button className="primary" disabled={isPending}>
        {user ? "Save" : "Create"}
      </button>
      {user && (
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      )}
    </form>
  );
};

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly error: string | undefined;
  readonly children: ReactNode;
}

const Field = ({ name, label, error, children }: FieldProps) => (
  <div className="field">
    <label htmlFor={name}>{label}</label>
    {children}
    {error !== undefined && (
      <p className="error" role="alert">
        {error}
      </p>
    )}
  </div>
);
