import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { mutationOptions } from "sallyport/tanstack-query";
import { client, refreshUsers, type User } from "./client.ts";
import { toFieldErrors } from "./field-errors.ts";

interface Props {
  readonly user: User;
  readonly onDone: () => void;
}

/** Uploads a picture, and shows the progress. */
export const PictureUpload = ({ user, onDone }: Props) => {
  const [share, setShare] = useState(0);
  const { mutate, error, isPending } = useMutation({
    ...mutationOptions(client, "post /v1/users/:id/picture", {
      onUploadProgress: ({ loaded, total }) => setShare(loaded / total),
    }),
    onSuccess: () => {
      onDone();
      return refreshUsers();
    },
  });
  return (
    <section>
      <h2>Picture</h2>
      <input
        aria-label="Picture"
        type="file"
        accept="image/png"
        onChange={({ target }) => {
          const [picture] = target.files ?? [];
          if (picture) mutate({ id: user.id, picture });
        }}
      />
      {isPending && <progress aria-label="Upload" value={share} />}
      {error && (
        <p className="error" role="alert">
          {toFieldErrors(error)["picture"] ?? error.message}
        </p>
      )}
    </section>
  );
};
