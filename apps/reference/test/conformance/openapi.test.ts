import assert from "node:assert/strict";
import { test } from "node:test";
import { assertValid } from "../../../../packages/core/test/openapi/lint.ts";
import { createTutorialModule } from "../../src/app.module.ts";
import { type StartOptions, withFreshBlog } from "../support/blog.ts";
import { asPages } from "../support/pages.ts";
import { storages } from "../support/storages.ts";

const services: readonly (readonly [name: string, start: StartOptions])[] = [
  ["the full service", {}],
  ["the tutorial service", { createModule: createTutorialModule }],
  ["the pages", asPages],
];

for (const [name, start] of services) {
  test(`the document of ${name} is valid OpenAPI 3.1 and keeps the recommended rules`, async () => {
    const [storage] = storages;
    assert.ok(storage !== undefined);
    await withFreshBlog(
      storage,
      async ({ app }) => {
        const document = await app.openapi();
        assert.ok(Object.keys(document.paths).length > 3);
        await assertValid(document);
      },
      start,
    );
  });
}
