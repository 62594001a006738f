// The list of posts of the reference service, with Fastify and the bare driver: one statement, a pool of 10.
import type { FastifyInstance } from "fastify";
import pg from "pg";
import { pageSchema } from "./fastify-schemas.ts";
import { databasePlace, pageQuery, toPost } from "./posts-database.ts";

export async function openPosts(app: FastifyInstance, port: number): Promise<void> {
  // with the driver's default no request would ever give up waiting for a connection
  const pool = new pg.Pool({ connectionString: databasePlace(), max: 10, connectionTimeoutMillis: 1500 });
  app.get<{ Querystring: { limit: number } }>("/posts", { schema: pageSchema }, async ({ query: { limit } }, reply) => {
    const { rows } = await pool.query({ name: "posts", text: pageQuery, values: [limit + 1] });
    const posts = rows.slice(0, limit).map(toPost);
    const last = posts.at(-1);
    if (rows.length > limit && last !== undefined) {
      const cursor = Buffer.from(JSON.stringify([last.created_at, last.id])).toString("base64url");
      reply.header("link", `</posts?limit=${limit}&cursor=${cursor}>; rel="next"`);
    }
    return posts;
  });
  await app.listen({ port, host: "127.0.0.1" });
}
