import type { ApiClient } from "./client.ts";

const date = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** Shows the notes in an element, with a form that adds one. */
export const showNotes = async (root: HTMLElement, client: ApiClient): Promise<void> => {
  const page = root.ownerDocument;
  const create = <Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag,
    ...content: readonly (Node | string)[]
  ): HTMLElementTagNameMap[Tag] => {
    const element = page.createElement(tag);
    element.append(...content);
    return element;
  };

  const heading = create("h1", "Notes");
  const introduction = create(
    "p",
    "What you write here is kept in the database of the API, which this page calls with the typed client. The page is ",
    create("code", "web/notes-page.ts"),
    ", and the API is ",
    create("code", "src/notes.ts"),
    ".",
  );
  const field = create("input");
  field.required = true;
  field.maxLength = 200;
  const label = create("label", "New note", field);
  const form = create("form", label, create("button", "Add"));
  const alert = create("p");
  alert.role = "alert";
  const list = create("ul");
  const state = create("p");
  state.role = "status";
  root.replaceChildren(heading, introduction, form, alert, list, state);

  const refresh = async (): Promise<void> => {
    const response = await client.provide("get /v1/notes");
    if (response.status === "error") {
      alert.textContent = response.error.message;
      return;
    }
    const items = response.data.notes.map(({ id, text, createdAt }) => {
      const remove = create("button", "Remove");
      remove.ariaLabel = `Remove ${text}`;
      remove.addEventListener("click", () => act(client.provide("delete /v1/notes/:id", { id })));
      const time = create("time", date.format(new Date(createdAt)));
      time.dateTime = createdAt;
      return create("li", create("span", text), time, remove);
    });
    list.replaceChildren(...items);
    state.textContent = items.length === 0 ? "There are no notes yet." : "";
  };

  /** Waits for a change, if any, and shows its error or the notes; returns whether it has succeeded. */
  const act = async (
    change?: Promise<{ status: "success" } | { status: "error"; error: { message: string } }>,
  ): Promise<boolean> => {
    try {
      const response = await change;
      alert.textContent = response?.status === "error" ? response.error.message : "";
      await refresh();
      return response?.status === "success";
    } catch {
      alert.textContent = "The API cannot be reached";
      return false;
    }
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await act(client.provide("post /v1/notes", { text: field.value }))) field.value = "";
  });
  await act();
};
