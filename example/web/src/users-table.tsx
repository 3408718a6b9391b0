import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { client, refreshUsers, type User } from "./client.ts";

const limit = 5;

interface Props {
  readonly chosen: User | undefined;
  readonly onChoose: (user: User | undefined) => void;
}

/** Shows the users, page by page. */
export const UsersTable = ({ chosen, onChoose }: Props) => {
  const [offset, setOffset] = useState(0);
  const { data, error } = useQuery({
    ...queryOptions(client, "get /v1/users", { limit, offset }),
    // keeps the current page visible while the next one is loading
    placeholderData: keepPreviousData,
  });
  const { mutate: remove } = useMutation({
    ...mutationOptions(client, "delete /v1/users/:id"),
    onSuccess: refreshUsers,
  });
  if (error) return <p className="error">{error.message}</p>;
  if (!data) return <p>Loading …</p>;
  const { users, total } = data;
  return (
    <section>
      <table>
        <thead>
          <tr>
            <th aria-label="Picture" />
            <th>Name</th>
            <th>E-mail</th>
            <th>Role</th>
            <th>Since</th>
            <th aria-label="Actions" />
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id} aria-selected={user.id === chosen?.id}>
              <td>
                {user.picture ? (
                  <img src={user.picture} alt={`Picture of ${user.name}`} />
                ) : (
                  <span className="initial">{user.name.slice(0, 1)}</span>
                )}
              </td>
              <td>{user.name}</td>
              <td>{user.email}</td>
              <td>
                <span className={`role ${user.role}`}>{user.role}</span>
              </td>
              <td>{new Date(user.createdAt).toLocaleDateString()}</td>
              <td>
                <button onClick={() => onChoose(user)}>Edit</button>
                <button
                  onClick={() => {
                    remove({ id: user.id });
                    if (user.id === chosen?.id) onChoose(undefined);
                  }}
                >
                  Delete
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {total === 0 && <p>There are no users yet.</p>}
      <nav>
        <button disabled={offset === 0} onClick={() => setOffset(offset - limit)}>
          Previous
        </button>
        <span>
          Page {offset / limit + 1} of {Math.max(1, Math.ceil(total / limit))}
        </span>
        <button disabled={!client.hasMore(data)} onClick={() => setOffset(offset + limit)}>
          Next
        </button>
      </nav>
    </section>
  );
};
