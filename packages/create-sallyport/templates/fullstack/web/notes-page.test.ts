import { Window } from "happy-dom";
import { testServer } from "sallyport/testing";
import { afterAll, expect, test } from "vitest";
import { config, routing } from "../src/api.ts";
import { createApiClient } from "./client.ts";
import { showNotes } from "./notes-page.ts";

const api = await testServer(config, routing);
const client = createApiClient({ baseUrl: "http://api.test", fetch: api.fetch });
const window = new Window();
// happy-dom has types of its own
const root = window.document.body as unknown as HTMLElement;

afterAll(async () => {
  await api.close();
  await window.happyDOM.close();
});

const submit = (text: string): void => {
  const field = root.querySelector("input");
  if (field) field.value = text;
  root.querySelector("form")?.requestSubmit();
};
const readNotes = () =>
  [...root.querySelectorAll("li")].map((item) => item.firstChild?.textContent);
const readAlert = () => root.querySelector("[role=alert]")?.textContent;

test("adds a note, tells why the same one is refused, and removes it", async () => {
  await showNotes(root, client);
  expect(readNotes()).toEqual([]);
  submit("Read the guide");
  await expect.poll(readNotes).toEqual(["Read the guide"]);
  submit("Read the guide");
  await expect.poll(readAlert).toBe("There is a note with this text");
  root.querySelector<HTMLButtonElement>("li button")?.click();
  await expect.poll(readNotes).toEqual([]);
  expect(root.textContent).toContain("There are no notes yet.");
});

test("says that the API cannot be reached", async () => {
  const fetch = () => Promise.reject(new Error("down"));
  await showNotes(root, createApiClient({ baseUrl: "http://api.test", fetch, retry: 0 }));
  expect(readAlert()).toBe("The API cannot be reached");
});
