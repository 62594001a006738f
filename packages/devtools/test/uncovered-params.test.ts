import assert from "node:assert/strict";
import { test } from "node:test";
import { uncoveredParamsOf } from "../src/uncovered-params.ts";

for (const [method, path, covers, params] of [
  ["GET", "/orgs/:org/notes/:note", [], ["org", "note"]],
  ["GET", "/orgs/:org/notes/:note", [["org"]], ["note"]],
  ["GET", "/orgs/:org/notes/:note", [["org"], ["note"]], []],
  ["GET", "/orgs/:org/notes/:note", ["path"], []],
  ["GET", "/orgs/:org/files/*", [undefined], ["org"]],
  ["PUT", "/orgs/:org/files/*", [["org"]], ["*"]],
] as const) {
  test(`${method} ${path} with ${JSON.stringify(covers)} leaves ${JSON.stringify(params)}`, () => {
    const middlewareContracts = covers.map((covered) => (covered === undefined ? {} : { covers: covered }));
    assert.deepEqual(uncoveredParamsOf({ method, path, middlewareContracts }), params);
  });
}
