import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "@tenon/core/platform";
import { CurlWriter } from "../src/access/curl.ts";
import type { FuzzedObject, Step } from "../src/access/step.ts";

const alice = { name: "alice", isGuest: false, seesEverything: false, headersFor: () => ({ authorization: "secret" }) };

interface Sent {
  readonly path: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly type?: string;
  readonly fields?: Readonly<Record<string, JsonSchema>>;
  readonly body?: unknown;
  readonly uses?: readonly FuzzedObject[];
}

function toStep({ path, params = {}, type = "application/json", fields = {}, body, uses = [] }: Sent): Step {
  const schema: JsonSchema = { type: "object", properties: fields };
  const operation = {
    id: path,
    method: body === undefined ? "GET" : "POST",
    path,
    security: [],
    parameters: Object.keys(params).map((name) => ({ name, in: "path", schema: { type: "string" } })),
    body: body === undefined ? undefined : { type, schema, fields, required: true },
    declared: new Set<string>(),
    returned: {},
    policies: [],
    live: undefined,
  };
  const seen = { status: 200, text: "", json: undefined, location: "", link: "" };
  const request = { params, query: {}, headers: {}, body, isKnown: true, invalid: undefined };
  return { actor: alice, operation, request, seen, uses };
}

function toObject(id: string | number, kind: string, created: Step, idPath = ".id"): FuzzedObject {
  const rest = { name: kind, marker: "", values: new Map(), turn: 0, deletion: undefined, isSpent: false };
  return { id, kind, owner: alice, created, idPath, ...rest };
}

const text: JsonSchema = { type: "string" };

test("a multipart form is sent as one, and an id that is also a word is replaced as a value only", async () => {
  const fields = { file: { type: "string", contentMediaType: "text/plain" }, name: text };
  const form = { type: "multipart/form-data", fields, body: { file: "it's", name: "file" } };
  const file = toObject("file", "file", toStep({ path: "/file", ...form }));
  const show = toStep({ path: "/file/{file}", params: { file: "file" }, uses: [file] });
  const attach = toStep({
    path: "/file",
    body: { file: { id: "file" }, files: ["file"], kind: "a file" },
    uses: [file],
  });
  assert.deepEqual(await new CurlWriter().write([show, attach], []), [
    `ALICE_FILE=$(curl -s -X POST "$URL/file" -H "$ALICE" -F 'file=@'<(printf %s 'it'\\''s')';filename=file;type=text/plain' --form-string 'name=file' | jq -r .id)`,
    `curl -s "$URL/file/$ALICE_FILE" -H "$ALICE"  # alice: 200`,
    `curl -s -X POST "$URL/file" -H "$ALICE" -H 'content-type: application/json' -d '{"file":{"id":"'"$ALICE_FILE"'"},"files":["'"$ALICE_FILE"'"],"kind":"a file"}'  # alice: 200`,
  ]);
});

test("the id in a location has no carriage return, and one that is a number has no quotes in JSON", async () => {
  const type = "application/x-www-form-urlencoded";
  const tags: JsonSchema = { type: "array", items: text };
  const form = toStep({ path: "/notes", type, fields: { text, tags }, body: { text: "a b", tags: ["c", "d"] } });
  const note = toObject(7, "note", form, "location");
  const attach = toStep({ path: "/tags", body: { note_id: 7, size: 77 }, uses: [note] });
  assert.deepEqual(await new CurlWriter().write([attach], []), [
    `ALICE_NOTE=$(curl -s -i -X POST "$URL/notes" -H "$ALICE" -H 'content-type: ${type}' -d 'text=a+b&tags=c&tags=d' | tr -d '\\r' | sed -n 's/^location: .*\\///ip')`,
    `curl -s -X POST "$URL/tags" -H "$ALICE" -H 'content-type: application/json' -d '{"note_id":'"$ALICE_NOTE"',"size":77}'  # alice: 200`,
  ]);
});
