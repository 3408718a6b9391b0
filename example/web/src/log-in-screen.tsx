import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { mutationOptions } from "sallyport/tanstack-query";
import { client, queryClient } from "./client.ts";
import { Field, Form } from "./form.tsx";
import { changePlace } from "./place.ts";
import { Screen } from "./screen.tsx";

interface Props {
  /** Where to go then; the place stays if it is undefined. */
  readonly then?: string;
}

/** Logs in, or opens an account first. */
export default function LogInScreen({ then }: Props) {
  const [isNew, setNew] = useState(false);
  const signUp = useMutation(mutationOptions(client, "post /v2/accounts"));
  const logIn = useMutation({
    ...mutationOptions(client, "post /v2/session"),
    onSuccess: () => {
      if (then !== undefined) changePlace(then);
      return queryClient.resetQueries();
    },
  });
  const submit = ({ name = "", email = "", password = "" }: Readonly<Record<string, string>>) => {
    const enter = () => logIn.mutate({ email, password });
    if (isNew) signUp.mutate({ name, email, password }, { onSuccess: enter });
    else enter();
  };
  return (
    <Screen title={isNew ? "Open an account" : "Log in"}>
      <section className="narrow">
        <Form
          key={String(isNew)}
          submit={isNew ? "Open the account" : "Log in"}
          error={(isNew && signUp.error) || logIn.error}
          isPending={signUp.isPending || logIn.isPending}
          onSubmit={submit}
        >
          {isNew && (
            <Field
              name="name"
              label="Name"
              autoComplete="name"
              maxLength={100}
              problem="Enter your name"
            />
          )}
          <Field
            name="email"
            label="E-mail"
            type="email"
            autoComplete="username"
            problem="Enter an e-mail address, such as ada@example.com"
          />
          <Field
            name="password"
            label="Password"
            type="password"
            autoComplete={isNew ? "new-password" : "current-password"}
            minLength={isNew ? 10 : undefined}
            maxLength={200}
            problem={isNew ? "Use at least 10 characters" : "Enter your password"}
          />
        </Form>
        <button
          className="link"
          onClick={() => {
            signUp.reset();
            logIn.reset();
            setNew(!isNew);
          }}
        >
          {isNew ? "I have an account" : "Open an account"}
        </button>
      </section>
    </Screen>
  );
}
