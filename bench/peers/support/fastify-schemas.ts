// The JSON schemas of Fastify's peers.

const string = { type: "string" } as const;
const integer = { type: "integer" } as const;

export const helloReply = { 200: { type: "object", properties: { hello: string } } } as const;

export const pageReply = {
  200: { type: "object", properties: { user: string, post: string, page: string } },
} as const;

const newPost = {
  title: { type: "string", minLength: 1, maxLength: 200 },
  content: { type: "string", minLength: 1 },
  priority: { type: "integer", minimum: 1, maximum: 5 },
  published: { type: "boolean" },
  tags: { type: "array", items: string },
} as const;

export const bodySchema = {
  body: { type: "object", properties: newPost, required: ["title", "content", "priority", "published", "tags"] },
  response: { 201: { type: "object", properties: { id: integer, ...newPost } } },
} as const;

export const countReply = { 200: { type: "object", properties: { count: integer } } } as const;

export const listReply = {
  200: {
    type: "array",
    items: {
      type: "object",
      properties: {
        id: integer,
        title: string,
        content: string,
        author: string,
        published: { type: "boolean" },
        created_at: string,
      },
    },
  },
} as const;

export function routeReply(params: readonly string[]) {
  const properties = Object.fromEntries(params.map((name) => [name, string]));
  return { 200: { type: "object", properties: { route: integer, ...properties } } };
}

export const userReply = { 200: { type: "object", properties: { user_id: string } } } as const;

const post = {
  type: "object",
  properties: {
    id: string,
    title: string,
    content: string,
    author_id: string,
    published: { type: "boolean" },
    created_at: string,
    updated_at: string,
    author: { type: "object", properties: { id: string, email: string, name: string, created_at: string } },
  },
} as const;

export const postReply = { 200: post, 404: { type: "object", properties: { error: string } } } as const;

export const pageSchema = {
  querystring: { type: "object", properties: { limit: { ...integer, minimum: 1, maximum: 1000, default: 50 } } },
  response: { 200: { type: "array", items: post } },
} as const;
