import { randomUUID } from "node:crypto";
import { Clock, inject } from "@tenon/core";
import { Database, isUniqueViolation, type Page, paginate, type RowStream, StoreError, streamRows } from "@tenon/data";
import { Channels } from "@tenon/live";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { canBeStored, type PostsTable, type Schema } from "../database/schema.ts";
import type { User } from "../users/user.ts";
import type { Post } from "./post.ts";
import type { CreatePostDTO, PatchPostDTO, UpdatePostDTO } from "./posts.dto.ts";

const postColumns = [
  "posts.id",
  "posts.title",
  "posts.content",
  "posts.author_id",
  "posts.published",
  "posts.created_at",
  "posts.updated_at",
] as const;

const newest = ["posts.created_at", "desc"] as const;

interface ListRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** What happens to the public list: `published`, `changed` and `removed`. */
export const postsTopic = "posts";

/** Posts and their states: created unpublished, replaced, patched, deleted. */
export class PostsService {
  readonly #db = inject(Database<Schema>);
  readonly #clock = inject(Clock);
  readonly #channels = inject(Channels);
  /** Finds the post whose id is its parameter. Compiled once: building the query takes longer than running it. */
  readonly #byId = this.#withAuthor().where("posts.id", "=", "").compile();
  readonly #published = this.#withAuthor().where("posts.published", "=", true);
  readonly #publishedSizes = this.#sizes().where("posts.published", "=", true);

  /** A page of published posts with their authors, newest first. */
  async published(request: ListRequest): Promise<Page<Post>> {
    const page = await paginate(this.#published, { by: newest, ...request });
    return { ...page, items: page.items.map(toPostWithAuthor) };
  }

  /** The same one by one. Without a limit all of them. */
  listPublished(request: ListRequest = {}): RowStream<Post> {
    return streamRows(this.#published, { by: newest, sizes: this.#publishedSizes, map: toPostWithAuthor, ...request });
  }

  /** A page of the posts of one author, published or not, newest first. */
  ofAuthor(authorId: string, request: ListRequest): Promise<Page<Post>> {
    return paginate(this.#ofAuthor(authorId), { by: newest, ...request });
  }

  /** The same one by one, as for published posts. */
  listOfAuthor(authorId: string, request: ListRequest = {}): RowStream<Post> {
    const sizes = this.#sizes().where("posts.author_id", "=", authorId);
    return streamRows(this.#ofAuthor(authorId), { by: newest, sizes, ...request });
  }

  async find(id: string): Promise<Post | undefined> {
    if (!canBeStored(id)) return undefined;
    const { rows } = await this.#db.executeQuery<PostWithAuthorRow>({ ...this.#byId, parameters: [id] });
    return rows[0] && toPostWithAuthor(rows[0]);
  }

  create(authorId: string, input: CreatePostDTO): Promise<Post> {
    return this.#insert(randomUUID(), authorId, input);
  }

  /** The same with a given id: a form that is sent twice, even concurrently, creates one post. */
  async createOnce(id: string, authorId: string, input: CreatePostDTO): Promise<Post> {
    try {
      return await this.#insert(id, authorId, input);
    } catch (error) {
      const post = isUniqueViolation(error) ? await this.find(id) : undefined;
      if (post === undefined) throw error;
      return post;
    }
  }

  /** Replaces title, content and published; missing fields become empty and unpublished. */
  async replace(id: string, { title, content, published }: UpdatePostDTO): Promise<Post> {
    const whole = { title: title ?? "", content: content ?? "", published: published ?? false };
    const post = await this.#update(id, whole);
    if (post === undefined) throw new StoreError("NOT_FOUND");
    return post;
  }

  /** Changes only the given fields. Undefined when there is no such post, or `seen` is not its current `updated_at`. */
  patch(id: string, changes: PatchPostDTO, seen?: string): Promise<Post | undefined> {
    return this.#update(id, changes, seen);
  }

  /** Deletes the post. A missing post is not an error. */
  async delete(id: string): Promise<void> {
    if (!canBeStored(id)) return;
    await this.#db.transaction().execute(async (transaction) => {
      const gone = await transaction.deleteFrom("posts").where("id", "=", id).returning("published").executeTakeFirst();
      if (gone?.published === true) await this.#channels.publish(postsTopic, "removed", { id }, { transaction });
    });
  }

  /** Deletes all posts of one author, published or not. */
  async deleteOfAuthor(authorId: string, transaction: Kysely<Schema>): Promise<void> {
    const gone = await transaction
      .deleteFrom("posts")
      .where("author_id", "=", authorId)
      .returning(["id", "published"])
      .execute();
    for (const { id, published } of gone) {
      if (published) await this.#channels.publish(postsTopic, "removed", { id }, { transaction });
    }
  }

  async #insert(id: string, authorId: string, { title, content }: CreatePostDTO): Promise<Post> {
    const now = this.#clock.timestamp();
    const post: Post = {
      id,
      title,
      content,
      author_id: authorId,
      published: false,
      created_at: now,
      updated_at: now,
    };
    await this.#db.insertInto("posts").values(post).execute();
    return post;
  }

  /** `updated_at` grows even when two updates fall into one millisecond, or the clock goes back. */
  async #update(id: string, changes: PatchPostDTO, seen?: string): Promise<Post | undefined> {
    if (!canBeStored(id) || !canBeStored(seen ?? "")) return undefined;
    const now = this.#clock.timestamp();
    return this.#db.transaction().execute(async (transaction) => {
      const before = await transaction
        .selectFrom("posts")
        .select("published")
        .where("id", "=", id)
        .$if(this.#db.kind === "postgres", (query) => query.forUpdate()) // SQLite has one writer at a time
        .executeTakeFirst();
      const after = await transaction
        .updateTable("posts")
        .set((eb) => ({
          ...changes,
          updated_at: eb
            .case()
            .when("updated_at", "<", now)
            .then(now)
            .else(justAfter(this.#db.kind, "updated_at"))
            .end(),
        }))
        .where("id", "=", id)
        .$if(seen !== undefined, (query) => query.where("updated_at", "=", seen ?? ""))
        .returning(["id", "title", "content", "author_id", "published", "created_at", "updated_at"])
        .executeTakeFirst();
      if (after !== undefined) await this.#tell(transaction, before?.published === true, after);
      return after;
    });
  }

  /** Tells the readers of the public list what has changed for them, when the transaction commits. */
  async #tell(transaction: Kysely<Schema>, wasPublished: boolean, post: Post): Promise<void> {
    const { id, title, author_id, created_at, updated_at } = post;
    if (post.published) {
      const summary = { id, title, author_id, created_at, updated_at };
      await this.#channels.publish(postsTopic, wasPublished ? "changed" : "published", summary, { transaction });
    } else if (wasPublished) await this.#channels.publish(postsTopic, "removed", { id }, { transaction });
  }

  #ofAuthor(authorId: string) {
    return this.#db.selectFrom("posts").select(postColumns).where("posts.author_id", "=", authorId);
  }

  /** Without a join: SQLite reads all of a large post to reach the columns after its content. */
  #sizes() {
    const bytes = sql<number>`octet_length(posts.title) + octet_length(posts.content)`;
    return this.#db.selectFrom("posts").select(bytes.as("bytes"));
  }

  #withAuthor() {
    return this.#db
      .selectFrom("posts")
      .innerJoin("users", "users.id", "posts.author_id")
      .select([
        ...postColumns,
        "users.email as author_email",
        "users.name as author_name",
        "users.created_at as author_created_at",
      ]);
  }
}

interface PostWithAuthorRow extends PostsTable {
  readonly author_email: string;
  readonly author_name: string;
  readonly author_created_at: string;
}

/** Field by field: this runs for every post of a list, and object rest takes several times as long. */
function toPostWithAuthor(row: PostWithAuthorRow): Post {
  const { id, title, content, author_id, published, created_at, updated_at } = row;
  const author: User = {
    id: author_id,
    email: row.author_email,
    name: row.author_name,
    created_at: row.author_created_at,
  };
  return { id, title, content, author_id, published, created_at, updated_at, author };
}

/** One millisecond after the time in a text column, in the format of all times in the database. */
function justAfter(kind: Database["kind"], column: string): RawBuilder<string> {
  const time = sql.ref(column);
  return kind === "sqlite"
    ? sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', ${time}, '+0.001 seconds')`
    : sql<string>`to_char((${time}::timestamptz + interval '1 millisecond') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
