import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { client, refresh } from "./client.ts";
import { CopyButton } from "./copy-button.tsx";
import { Failure, Field, Form } from "./form.tsx";
import { toDate } from "./format.ts";
import { focusHeading, Loading, Screen } from "./screen.tsx";
import { useAccount } from "./use-account.ts";

/** Shows the account, and the tokens with which programs call the API for it. */
export default function AccountScreen() {
  const account = useAccount();
  const { data, error } = useQuery(queryOptions(client, "get /v2/tokens"));
  const onSettled = () => refresh("/v2/tokens");
  const create = useMutation({ ...mutationOptions(client, "post /v2/tokens"), onSettled });
  const revoke = useMutation({
    ...mutationOptions(client, "delete /v2/tokens/:id"),
    onSettled,
    onSuccess: focusHeading,
  });
  const form = useRef<HTMLDivElement>(null);
  return (
    <Screen title="Account">
      <p>
        {account?.name}, {account?.email}
      </p>
      <section>
        <h2>API tokens</h2>
        <p>
          With a token, a program calls the API as you: <code>Authorization: Bearer …</code>. See
          the <a href="/docs">documentation</a>.
        </p>
        <div ref={form}>
          <Form
            submit="Create a token"
            error={create.error}
            isPending={create.isPending}
            onSubmit={({ name = "" }) => {
              create.mutate({ name });
              form.current?.querySelector("form")?.reset();
            }}
          >
            <Field
              name="name"
              label="What the token is for"
              maxLength={100}
              problem="Say what the token is for"
            />
          </Form>
        </div>
        <p role="status">
          {create.data && (
            <>
              Copy it now, it is not shown again:{" "}
              <code className="secret">{create.data.token}</code>
            </>
          )}
        </p>
        {create.data && <CopyButton key={create.data.id} text={create.data.token} />}
        <Failure error={revoke.error ?? error} />
        {!data && !error && <Loading />}
        {data?.tokens.length === 0 && <p>There are no tokens.</p>}
        <ul className="tokens">
          {data?.tokens.map(({ id, name, createdAt }) => (
            <li key={id}>
              <span>{name}</span>
              <time dateTime={createdAt}>{toDate(createdAt)}</time>
              <button
                aria-label={`Revoke ${name}`}
                onClick={() => {
                  if (create.data?.id === id) create.reset();
                  revoke.mutate({ id });
                }}
              >
                Revoke
              </button>
            </li>
          ))}
        </ul>
      </section>
    </Screen>
  );
}
