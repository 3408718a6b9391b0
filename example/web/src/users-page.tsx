import { useState } from "react";
import { ActivityLog } from "./activity-log.tsx";
import type { User } from "./client.ts";
import { PictureUpload } from "./picture-upload.tsx";
import { UserForm } from "./user-form.tsx";
import { UsersTable } from "./users-table.tsx";

/** Shows the whole page: a list of users, and next to it a form for a new user or the selected one. */
export const UsersPage = () => {
  const [chosen, choose] = useState<User>();
  const close = () => choose(undefined);
  return (
    <>
      <header>
        <h1>Users</h1>
        <a href="/docs">API documentation</a>
      </header>
      <main>
        <UsersTable chosen={chosen} onChoose={choose} />
        <aside>
          <section>
            <h2>{chosen ? `Edit ${chosen.name}` : "New user"}</h2>
            <UserForm key={chosen?.id} user={chosen} onDone={close} />
          </section>
          {chosen && <PictureUpload key={chosen.id} user={chosen} onDone={close} />}
          <ActivityLog />
        </aside>
      </main>
    </>
  );
};
