import { expect, test, vi } from "vitest";
import type { Pagination } from "../../basics/schemas/paginated.ts";
import { setLinks } from "./links.ts";

/** Returns the `Link` header for an output with offset pagination. */
const linkOf = (output: object): unknown => {
  const setHeader = vi.fn<(name: string, value: string) => void>();
  const response = { headersSent: false, getHeader: () => undefined, setHeader };
  const state = { request: { method: "GET", url: "/a" }, response } as unknown as Parameters<
    typeof setLinks
  >[1];
  setLinks({ style: "offset" } as Pagination, state, output);
  return setHeader.mock.calls[0]?.[1];
};

const page = { total: 90, limit: 5, offset: 5 };

test("a page links to the next page", () => {
  expect(linkOf(page)).toContain('<?limit=5&offset=10>; rel="next"');
});

// a transformation in the schema may have changed the output
test.each([
  { total: "90" },
  { total: undefined },
  { limit: "5" },
  { limit: 0 },
  { limit: 1.5 },
  { offset: "5" },
  { offset: -1 },
])("a page with %j has no links", (changed) => {
  expect(linkOf({ ...page, ...changed })).toBeUndefined();
});
