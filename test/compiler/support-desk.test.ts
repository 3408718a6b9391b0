import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateClient } from "sallyport/generate-client";
import { expect, test } from "vitest";
import { createDesk } from "../http/support-desk.ts";
import { compile, root, writeProgram } from "./compile.ts";
import { deskCalls, deskClients } from "./support-desk-calls.ts";

test.each(Object.entries(deskClients))(
  "the calls of the support desk are checked: %s",
  (name, head) => {
    const paths = {
      sallyport: [join(root, "src/index.ts")],
      "sallyport/client": [join(root, "src/describe/client/index.ts")],
      "sallyport/tanstack-query": [join(root, "src/describe/tanstack-query/index.ts")],
    };
    const program = writeProgram(`desk-${name.replaceAll(" ", "-")}`, head + deskCalls, undefined, {
      paths,
    });
    const write = (file: string, text: string) => writeFileSync(join(program.folder, file), text);
    const desk = createDesk();
    write("client.ts", generateClient(desk));
    write("api.ts", generateClient({ ...desk, types: true }));
    cpSync(join(root, "test/http/support-desk.ts"), join(program.folder, "support-desk.ts"));
    expect(compile(program)).toEqual([]);
  },
);
