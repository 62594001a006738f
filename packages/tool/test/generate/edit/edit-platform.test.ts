import assert from "node:assert/strict";
import { test } from "node:test";
import { addToPlatform } from "../../../src/generate/edit/edit-platform.ts";

const added = { middleware: "CurrentUser", share: "shareUser", path: "./users/current-user.ts" };
const line = 'import { web } from "@tenon/web";\n';

test("adds a middleware and what views share, once", () => {
  const source = `${line}export const platform = web({\n  views,\n  middlewares: [log()],\n});\n`;
  const edited = addToPlatform(source, added) ?? assert.fail();
  assert.equal(
    edited,
    `${line}import { CurrentUser, shareUser } from "./users/current-user.ts";
export const platform = web({
  views,
  middlewares: [log(), CurrentUser],
  share: shareUser,
});
`,
  );
  assert.equal(addToPlatform(edited, added), undefined);
});

test("leaves a platform alone that it does not understand", () => {
  for (const options of ["options", "{ views }", "{ ...options, middlewares: [] }", "{ middlewares: [], share }"]) {
    assert.equal(addToPlatform(`${line}export const platform = web(${options});\n`, added), undefined, options);
  }
  assert.equal(addToPlatform("web({ middlewares: [] }); web({ middlewares: [] });", added), undefined);
  assert.equal(addToPlatform("web({ middlewares: [ });", added), undefined);
});
