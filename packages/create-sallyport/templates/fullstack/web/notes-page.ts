import type { ApiClient } from "./client.ts";

/** Shows the notes in an element, with a form that adds one. */
export const showNotes = async (root: HTMLElement, client: ApiClient): Promise<void> => {
  const page = root.ownerDocument;
  const heading = page.createElement("h1");
  heading.textContent = "Notes";
  const form = page.createElement("form");
  const field = page.createElement("input");
  field.required = true;
  field.maxLength = 200;
  field.ariaLabel = "Text of the note";
  const button = page.createElement("button");
  button.textContent = "Add";
  form.append(field, button);
  const alert = page.createElement("p");
  alert.role = "alert";
  const list = page.createElement("ul");
  root.replaceChildren(heading, form, alert, list);

  const refresh = async (): Promise<void> => {
    const response = await client.provide("get /v1/notes");
    if (response.status === "error") {
      alert.textContent = response.error.message;
      return;
    }
    const items = response.data.notes.map(({ id, text }) => {
      const item = page.createElement("li");
      const remove = page.createElement("button");
      remove.textContent = "Remove";
      remove.addEventListener("click", () => act(client.provide("delete /v1/notes/:id", { id })));
      item.append(text, remove);
      return item;
    });
    list.replaceChildren(...items);
  };

  /** Waits for a change, and shows its error or the changed notes; returns whether it has succeeded. */
  const act = async (
    change: Promise<{ status: "success" } | { status: "error"; error: { message: string } }>,
  ): Promise<boolean> => {
    try {
      const response = await change;
      alert.textContent = response.status === "error" ? response.error.message : "";
      await refresh();
      return response.status === "success";
    } catch {
      alert.textContent = "The API cannot be reached";
      return false;
    }
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await act(client.provide("post /v1/notes", { text: field.value }))) field.value = "";
  });
  await refresh();
};
