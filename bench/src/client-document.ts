const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
const problem = json(ref("Problem"));

export const problemSchema = { type: "object", required: ["error"], properties: { error: { type: "string" } } };

/** The routes of each resource: index, create, show and remove. */
const perResource = 4;

/** A document with this many routes, four for each resource, and a component for each resource. */
export function createDocument(routes: number): object {
  const resources = Array.from({ length: Math.ceil(routes / perResource) }, (_, index) => index);
  return {
    openapi: "3.1.0",
    info: { title: "Bench", version: "1.0.0" },
    paths: Object.fromEntries(resources.flatMap(toPaths)),
    components: {
      schemas: {
        Problem: problemSchema,
        ...Object.fromEntries(resources.map((index) => [`Item${index}`, toSchema(index)])),
      },
    },
  };
}

function toPaths(index: number): [string, object][] {
  const group = `items${index}`;
  const item = ref(`Item${index}`);
  const page = [
    { name: "limit", in: "query", schema: { type: "integer" } },
    { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
  ];
  const id = [{ name: "id", in: "path", required: true, schema: { type: "integer" } }];
  const body = { required: true, content: { "application/json": { schema: item } } };
  const removed = { 204: { description: "" }, 404: problem };
  return [
    [
      `/${group}`,
      {
        get: {
          operationId: `${group}.index`,
          parameters: page,
          responses: { 200: json({ type: "array", items: item }) },
        },
        post: { operationId: `${group}.create`, requestBody: body, responses: { 201: json(item), 422: problem } },
      },
    ],
    [
      `/${group}/{id}`,
      {
        get: { operationId: `${group}.show`, parameters: id, responses: { 200: json(item), 404: problem } },
        delete: { operationId: `${group}.remove`, parameters: id, responses: removed },
      },
    ],
  ];
}

function toSchema(index: number): object {
  return {
    type: "object",
    required: ["id", "title", "state"],
    properties: {
      id: { type: "integer", readOnly: true },
      title: { type: "string" },
      state: { enum: ["draft", "published"] },
      parent: { anyOf: [ref(`Item${index}`), { type: "null" }] },
      tags: { type: "array", items: { type: "string" } },
    },
  };
}

/**
 * One call of each route, with the narrowing that a caller writes. The elements of lists are not read: every element type
 * of an array costs one instantiation, with any client.
 */
export function createCalls(routes: number): string {
  const lines = Array.from({ length: Math.ceil(routes / perResource) }, (_, index) => {
    const api = `api.items${index}`;
    return `export async function use${index}(): Promise<string> {
  const { body: list } = await ${api}.index({ limit: ${index}, tags: ["a"] });
  const created = await ${api}.create({ body: { title: "x", state: "draft" } });
  if (created.status === 422) return created.body.error;
  const shown = await ${api}.show({ id: created.body.id });
  if (shown.status === 404) return shown.body.error;
  const removed = await ${api}.remove({ id: shown.body.id });
  return removed.status === 404 ? removed.body.error : describe(list, shown.body.title);
}
`;
  });
  const describe = "const describe = (list: unknown, title: string): string => typeof list + title;";
  return `import { createClient } from "./client.ts";\n\nconst api = createClient({ baseUrl: "" });\n${describe}\n${lines.join("")}`;
}
