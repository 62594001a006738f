// The database of the reference service that "posts" and "overload" read, and how their twins on Fastify read it.

export const postCount = 1000;
export const authorCount = 10;

export function postId(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
}

/** A row of the table, and the response of the service for it. */
export function postAt(index: number) {
  const time = new Date(Date.UTC(2026, 0, 2) + index * 1000).toISOString();
  return {
    id: postId(index),
    title: `Post ${index}`,
    content: "A text of a few lines. ".repeat(10),
    author_id: postId(index % authorCount),
    published: true,
    created_at: time,
    updated_at: time,
    author: authorAt(index % authorCount),
  };
}

export function authorAt(index: number) {
  return {
    id: postId(index),
    email: `author${index}@example.com`,
    name: `Author ${index}`,
    created_at: new Date(Date.UTC(2026, 0, 1, index)).toISOString(),
  };
}

/** The SQLite file, or the URL on PostgreSQL. */
export function databasePlace(): string {
  const place = process.env.BENCH_DATABASE;
  if (place === undefined) throw new Error("BENCH_DATABASE names no database: the runner sets it");
  return place;
}

const postsWithAuthors = `
  select posts.id, posts.title, posts.content, posts.author_id, posts.published, posts.created_at, posts.updated_at,
         users.email as author_email, users.name as author_name, users.created_at as author_created_at
  from posts inner join users on users.id = posts.author_id`;

export const postQuery = `${postsWithAuthors} where posts.id = ?`;

/** The newest published posts, one more than the page has. */
export const pageQuery = `${postsWithAuthors} where posts.published = true
  order by posts.created_at desc, posts.id desc limit $1`;

export function toPost(row: Readonly<Record<string, unknown>>) {
  return {
    id: row.id,
    title: row.title,
    content: row.content,
    author_id: row.author_id,
    published: Boolean(row.published),
    created_at: row.created_at,
    updated_at: row.updated_at,
    author: { id: row.author_id, email: row.author_email, name: row.author_name, created_at: row.author_created_at },
  };
}
