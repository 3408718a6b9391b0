import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { mutationOptions } from "sallyport/tanstack-query";
import { client, hasStatus, refresh, type Book } from "./client.ts";
import { toWords } from "./words.ts";

/** Uploads the cover of a book, and shows the progress. */
export const CoverUpload = ({ book }: { readonly book: Book }) => {
  const [share, setShare] = useState(0);
  const { mutate, error, isPending, isSuccess } = useMutation({
    ...mutationOptions(client, "put /v2/books/:id/cover", {
      onUploadProgress: ({ loaded, total }) => setShare(loaded / total),
    }),
    onSuccess: () => refresh("/v2/books"),
  });
  return (
    <section>
      <h2>
        <label htmlFor="cover">Cover</label>
      </h2>
      <input
        id="cover"
        type="file"
        accept="image/png,image/jpeg,image/webp"
        aria-invalid={error !== null}
        aria-describedby="cover-state"
        onChange={({ target }) => {
          const [cover] = target.files ?? [];
          setShare(0);
          if (cover) mutate({ id: book.id, cover });
        }}
      />
      {isPending && <progress aria-label="Upload" value={share} />}
      <p id="cover-state" role="status" className={error ? "error" : undefined}>
        {error && (hasStatus(error, 400) ? "Choose a PNG, JPEG or WebP picture" : toWords(error))}
        {isSuccess && "The cover is changed"}
      </p>
    </section>
  );
};
