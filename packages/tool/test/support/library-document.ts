// ["__proto__"] is a property; without the brackets it would be the prototype
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object, description = "") => ({ description, content: { "application/json": { schema } } });
const query = (name: string, schema: object, more: object = {}) => ({ name, in: "query", schema, ...more });
const id = { name: "id", in: "path", required: true, schema: { type: "integer" } };
const missing = json(ref("Problem"), "No such book");

/** A document that uses every construct that the generator maps. */
export const libraryDocument = {
  openapi: "3.1.0",
  info: { title: "Library */ alert(1) /*", version: "1.0.0" },
  servers: [{ url: "https://library.example/v1" }],
  security: [{ bearer: [] }],
  paths: {
    "/books": {
      get: {
        operationId: "books.index",
        summary: "Books, newest first",
        parameters: [
          query("limit", { type: "integer" }),
          query("tags", { type: "array", items: { type: "string" } }),
          query("ids", { type: "array", items: { type: "integer" } }, { explode: false }),
          query("filter", { type: "object", properties: { author: { type: "string" } } }, { style: "deepObject" }),
          { name: "X-Trace", in: "header", schema: { type: "string" } },
          { name: "Authorization", in: "header", schema: { type: "string" } },
          { name: "session", in: "cookie", schema: { type: "string" } },
        ],
        responses: { 200: json({ type: "array", items: ref("Book") }) },
      },
      post: {
        operationId: "books.create",
        requestBody: { required: true, content: { "application/json": { schema: ref("Book") } } },
        responses: { 201: json(ref("Book")), 422: json(ref("Problem")) },
      },
    },
    "/books/{id}": {
      parameters: [id],
      get: {
        operationId: "books.show",
        description: "One book. */ throw 1; /*\nSecond line.",
        deprecated: true,
        responses: { 200: json(ref("Book")), 404: { $ref: "#/components/responses/Missing" } },
      },
      head: { operationId: "books.exists", responses: { 200: { description: "" }, 404: { description: "" } } },
      delete: { operationId: "books.remove", responses: { 204: { description: "" }, 404: missing } },
    },
    "/books/{id}/cover": {
      parameters: [id],
      put: {
        operationId: "books.cover.replace",
        requestBody: { required: true, content: { "image/*": {} } },
        responses: { 204: { description: "" } },
      },
      get: {
        operationId: "books.cover.show",
        security: [],
        responses: { 200: { description: "", content: { "image/png": { schema: { format: "binary" } } } } },
      },
    },
    "/uploads": {
      post: {
        operationId: "uploads.create",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                required: ["file", "title"],
                properties: {
                  file: { type: "string", format: "binary" },
                  pages: { type: "array", items: { type: "string", contentMediaType: "application/octet-stream" } },
                  title: { type: "string" },
                  copies: { type: "integer" },
                },
              },
            },
          },
        },
        responses: { 200: json({ type: "object", additionalProperties: { type: "string" } }) },
      },
    },
    "/login": {
      post: {
        operationId: "login",
        security: [{ key: [] }, {}],
        requestBody: {
          required: true,
          content: {
            "application/x-www-form-urlencoded": {
              schema: {
                type: "object",
                required: ["user"],
                properties: { user: { type: "string" }, roles: { items: {} } },
              },
            },
          },
        },
        responses: { 200: { description: "", content: { "text/plain": {} } } },
      },
    },
    "/events": {
      get: {
        operationId: "events.stream",
        responses: { 200: { description: "", content: { "text/event-stream": {} } } },
      },
    },
    "/export": {
      get: { operationId: "export", responses: { 200: { description: "", content: { "application/zip": {} } } } },
      post: { operationId: "import", responses: { "2XX": { description: "" }, default: json(ref("Problem")) } },
    },
    "/search/{q}": {
      get: {
        operationId: "search.run",
        parameters: [
          { name: "q", in: "path", required: true, schema: { type: "string" } },
          query("q", { type: "string" }),
          query("options", {}, { content: { "application/json": { schema: { type: "object" } } }, schema: undefined }),
        ],
        responses: { 200: { description: "", content: { "application/json": {}, "text/plain": {} } } },
      },
    },
    "/files/{*}": {
      get: { operationId: "files.show", responses: { 204: { description: "" } } },
      delete: {
        operationId: "files.remove",
        parameters: [
          {
            name: "*",
            in: "path",
            required: true,
            allowReserved: true,
            schema: { type: "array", items: { type: "string" } },
          },
        ],
        responses: { 204: { description: "" } },
      },
    },
    "/unknown/{the-id}": {
      get: {
        parameters: [{ name: "the-id", in: "path", required: true }],
        responses: { default: { description: "" } },
      },
    },
    "/hostile/\\${/`": {
      get: { operationId: "__proto__.constructor", responses: { 204: { description: "" } } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it must stay text in the generated file
      post: { operationId: "__proto__.a-b \"'`${1}*/", responses: { 204: { description: "" } } },
      put: { operationId: "delete.class", responses: { 204: { description: "" } } },
      patch: { operationId: "größe.日本", responses: { 204: { description: "" } } },
    },
  },
  components: {
    responses: { Missing: missing },
    securitySchemes: {
      bearer: { type: "http", scheme: "bearer" },
      key: { type: "apiKey", in: "query", name: "api_key" },
    },
    schemas: {
      Book: {
        type: "object",
        description: "A book.",
        required: ["id", "title", "state", "author", "password", "undescribed"],
        properties: {
          id: { type: "integer", readOnly: true },
          title: { type: "string", description: "Its */ title" },
          subtitle: { type: ["string", "null"], deprecated: true },
          state: { enum: ["draft", "published", 'quo"te', "\u2028"] },
          kind: { const: "book" },
          author: { anyOf: [ref("Person"), { type: "null" }] },
          parts: { type: "array", items: { oneOf: [ref("Book"), ref("Chapter")] } },
          size: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: { type: "string" } },
          meta: { type: "object", additionalProperties: true },
          anything: {},
          nothing: false,
          password: { type: "string", writeOnly: true },
        },
      },
      Chapter: { allOf: [ref("Titled"), { type: "object", properties: { page: { type: "number" } } }] },
      Titled: { type: "object", required: ["title"], properties: { title: { type: "string" } } },
      Person: {
        type: "object",
        properties: { name: { type: "string" }, friends: { type: "array", items: ref("Person") } },
        additionalProperties: { type: "number" },
      },
      Problem: { type: "object", required: ["error"], properties: { error: { type: "string" } } },
      Elsewhere: { type: "array", items: { $ref: "#/components/responses/Missing" } },
      "50%": { type: "object", properties: { self: { $ref: "#/components/schemas/50%" } } },
      Tree: { type: "array", items: ref("Tree") },
      Loop: { anyOf: [ref("Pool"), { type: "null" }] },
      Pool: ref("Loop"),
      Pair: { const: { "a-b": [1, null, true], ["__proto__"]: null } },
      Empty: { type: "object" },
      Closed: { type: "object", additionalProperties: false },
      Patterned: { patternProperties: { "^x-": { type: "string" } }, required: ["must"] },
      Error: { type: "object", properties: { ["__proto__"]: { type: "string" }, constructor: { type: "string" } } },
      Promise: { type: "string" },
      ApiError: { type: "string" },
      ApiClient: { type: "string" },
      class: { type: "string" },
      string: { type: "boolean" },
      BooksShow: { type: "string" },
      "a.b-c/d": {
        type: "object",
        properties: { "e-f": { $ref: "#/components/schemas/a.b-c~1d" }, new: {}, "*/": {} },
      },
      "1 } ; throw 1; {": { type: "string" },
      ["__proto__"]: { type: "string" },
      constructor: { type: "string" },
      Größe: { type: "number" },
      "💥": { type: "number" },
      "": { type: "number" },
    },
  },
};
