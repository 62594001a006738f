import assert from "node:assert/strict";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { OpenApiDocument } from "@tenon/core/platform";

/** One for all: it compiles the schema of OpenAPI once. */
const validator = new Validator();
const config = createConfig({ extends: ["recommended"] });

/** Fails unless the document is valid OpenAPI 3.1 and keeps the recommended rules of Redocly. */
export async function assertValid(document: OpenApiDocument): Promise<void> {
  const source = JSON.stringify(document);
  const { valid, errors } = await validator.validate(JSON.parse(source));
  assert.ok(valid, JSON.stringify(errors, null, 2));
  const found = await lintFromString({ source, config: await config, absoluteRef: "/openapi.json" });
  const complaints = found.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    complaints.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  );
}
