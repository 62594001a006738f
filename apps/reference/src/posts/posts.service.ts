import { Clock } from "@tenon/auth";
import { inject } from "@tenon/core";
import { Database, isUniqueViolation, StoreError } from "@tenon/data";
import { canBeStored } from "../database/can-be-stored.ts";
import { justAfter } from "../database/just-after.ts";
import type { PostsTable, Schema } from "../database/schema.ts";
import type { User } from "../users/user.ts";
import { type Cursor, type Page, type PageRequest, pageOf, toPage } from "./page.ts";
import type { Post } from "./post.ts";
import type { CreatePostDTO, UpdatePostDTO } from "./posts.dto.ts";
import { Turns, WholeList } from "./whole-list.ts";

const postColumns = [
  "posts.id",
  "posts.title",
  "posts.content",
  "posts.author_id",
  "posts.published",
  "posts.created_at",
  "posts.updated_at",
] as const;

/** Posts and their states: made unpublished, replaced, patched, removed. */
export class PostsService {
  readonly #db = inject(Database<Schema>);
  readonly #clock = inject(Clock);
  readonly #turns = new Turns();
  /** Of the post with the id that is its parameter. Compiled once: building it anew takes longer than running it. */
  readonly #byId = this.#withAuthor().where("posts.id", "=", "").compile();

  /** Published posts with their authors, newest first. */
  async published(request: PageRequest): Promise<Page<Post>> {
    const rows = await pageOf(this.#published(), request).execute();
    return toPage(rows.map(toPostWithAuthor), request);
  }

  /** The same, all of them, or all that follow a cursor. */
  allPublished(after?: Cursor): AsyncIterable<Post> {
    return new WholeList(this.#published(), { after, turns: this.#turns, toItem: toPostWithAuthor });
  }

  /** The posts of one author, published or not, newest first. */
  async ofAuthor(authorId: string, request: PageRequest): Promise<Page<Post>> {
    return toPage(await pageOf(this.#ofAuthor(authorId), request).execute(), request);
  }

  /** The same, all of them, or all that follow a cursor. */
  allOfAuthor(authorId: string, after?: Cursor): AsyncIterable<Post> {
    return new WholeList(this.#ofAuthor(authorId), { after, turns: this.#turns, toItem: (post: Post) => post });
  }

  async find(id: string): Promise<Post | undefined> {
    if (!canBeStored(id)) return undefined;
    const { rows } = await this.#db.executeQuery<PostWithAuthorRow>({ ...this.#byId, parameters: [id] });
    return rows[0] && toPostWithAuthor(rows[0]);
  }

  create(authorId: string, input: CreatePostDTO): Promise<Post> {
    return this.#insert(this.#clock.uuid(), authorId, input);
  }

  /** The same under an id that only one post can have: what is sent twice, even at once, is made once. */
  async createOnce(id: string, authorId: string, input: CreatePostDTO): Promise<Post> {
    try {
      return await this.#insert(id, authorId, input);
    } catch (error) {
      const post = isUniqueViolation(error) ? await this.find(id) : undefined;
      if (post === undefined) throw error;
      return post;
    }
  }

  /** Replaces title, content and published; what is left out becomes empty and unpublished. */
  async replace(id: string, { title = "", content = "", published = false }: UpdatePostDTO): Promise<Post> {
    const post = await this.#update(id, { title, content, published });
    if (post === undefined) throw new StoreError("NOT_FOUND");
    return post;
  }

  /** Changes only what is given. Undefined when there is no such post, or not as it was when `seen` was its time. */
  patch(id: string, changes: UpdatePostDTO, seen?: string): Promise<Post | undefined> {
    return this.#update(id, changes, seen);
  }

  /** Removes the post. One that is not there is as removed as it can be. */
  async delete(id: string): Promise<void> {
    if (!canBeStored(id)) return;
    await this.#db.deleteFrom("posts").where("id", "=", id).execute();
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

  /** One statement; the time moves on even when two updates fall into one millisecond, or the clock goes back. */
  async #update(id: string, changes: UpdatePostDTO, seen?: string): Promise<Post | undefined> {
    if (!canBeStored(id) || !canBeStored(seen ?? "")) return undefined;
    const now = this.#clock.timestamp();
    return this.#db
      .updateTable("posts")
      .set((eb) => ({
        ...changes,
        updated_at: eb.case().when("updated_at", "<", now).then(now).else(justAfter(this.#db.kind, "updated_at")).end(),
      }))
      .where("id", "=", id)
      .$if(seen !== undefined, (query) => query.where("updated_at", "=", seen ?? ""))
      .returning(["id", "title", "content", "author_id", "published", "created_at", "updated_at"])
      .executeTakeFirst();
  }

  #published() {
    return this.#withAuthor().where("posts.published", "=", true);
  }

  #ofAuthor(authorId: string) {
    return this.#db.selectFrom("posts").select(postColumns).where("posts.author_id", "=", authorId);
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

/** Field by field: this runs for every post that is shown, and copying the rest of a row takes several times as long. */
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
