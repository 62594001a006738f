import { randomUUID } from "node:crypto";
import { Clock, inject } from "@tenon/core";
import { Cache, Database, paginate } from "@tenon/data";
import { Channels } from "@tenon/live";
import type { Member, Schema, Task, TaskChanges, TaskInput, TaskQuery } from "./projects.dto.ts";

/** A task and what its reader may do in its project. */
export type MyTask = Task & Pick<Member, "role">;

const columns = [
  "tasks.id",
  "tasks.project_id",
  "tasks.author_id",
  "tasks.title",
  "tasks.done",
  "tasks.created_at",
] as const;
const newest = ["tasks.created_at", "desc"] as const;

/** What happens to the tasks of a project: `added` and `changed`. */
export const topicOf = (projectId: string) => `projects/${projectId}`;

const recentKey = (email: string) => `recent:${email}`;

export class TasksService {
  readonly #db = inject(Database<Schema>);
  readonly #clock = inject(Clock);
  readonly #cache = inject(Cache);
  readonly #channels = inject(Channels);

  /** Undefined for a user who is not a member of its project. */
  findFor(email: string, id: string): Promise<MyTask | undefined> {
    return this.#ofMember(email).where("tasks.id", "=", id).executeTakeFirst();
  }

  findDeletedFor(email: string, id: string): Promise<MyTask | undefined> {
    return this.#deletedOfMember(email).where("tasks.id", "=", id).executeTakeFirst();
  }

  /** Undefined for a task of another project. */
  findIn(projectId: string, id: string): Promise<Task | undefined> {
    return this.#ofProject(projectId).where("tasks.id", "=", id).executeTakeFirst();
  }

  list(email: string, { project_id, q, ...query }: TaskQuery) {
    let tasks = this.#ofMember(email);
    if (project_id !== undefined) tasks = tasks.where("tasks.project_id", "=", project_id);
    if (q !== undefined) tasks = tasks.where("tasks.title", "like", `%${q}%`);
    return paginate(tasks, { by: newest, ...query });
  }

  listOfProject(projectId: string, query: Pick<TaskQuery, "limit" | "cursor">) {
    return paginate(this.#ofProject(projectId), { by: newest, ...query });
  }

  listDeleted(email: string): Promise<Task[]> {
    return this.#deletedOfMember(email).orderBy("tasks.deleted_at", "desc").limit(100).execute();
  }

  /** How many tasks the projects of the user have. */
  async count(email: string): Promise<number> {
    const counted = this.#ofMember(email)
      .clearSelect()
      .select(({ fn }) => fn.countAll().as("total"));
    return Number((await counted.executeTakeFirstOrThrow()).total);
  }

  /** The newest tasks, kept for a minute, or until the user changes one. */
  recent(email: string): Promise<Task[]> {
    return this.#cache.remember(recentKey(email), 60, () =>
      this.#ofMember(email).orderBy(newest[0], newest[1]).limit(5).execute(),
    );
  }

  forgetRecent(email: string): Promise<void> {
    return this.#cache.delete(recentKey(email));
  }

  async toCsv(projectId: string): Promise<string> {
    const tasks = await this.#ofProject(projectId).execute();
    const lines = tasks.map(({ id, title, done }) => `${id},"${title.replaceAll('"', '""')}",${done}`);
    return ["id,title,done", ...lines, ""].join("\r\n");
  }

  async create(projectId: string, authorId: string, input: TaskInput): Promise<Task> {
    const task = {
      id: randomUUID(),
      project_id: projectId,
      author_id: authorId,
      title: input.title,
      done: false,
      created_at: this.#clock.timestamp(),
    };
    await this.#db
      .insertInto("tasks")
      .values({ ...task, deleted_at: null })
      .execute();
    await this.#channels.publish(topicOf(projectId), "added", task);
    return task;
  }

  /** An absent field stays as it is. */
  async update(id: string, changes: TaskChanges): Promise<Task | undefined> {
    const set = { ...changes, id }; // with the id, so that an empty change is a statement too
    const task = await this.#db
      .updateTable("tasks")
      .set(set)
      .where("id", "=", id)
      .returning(columns)
      .executeTakeFirst();
    if (task !== undefined) await this.#channels.publish(topicOf(task.project_id), "changed", task);
    return task;
  }

  async setDeleted(id: string, isDeleted: boolean): Promise<void> {
    const deleted_at = isDeleted ? this.#clock.timestamp() : null;
    await this.#db.updateTable("tasks").set({ deleted_at }).where("id", "=", id).execute();
  }

  #ofProject(projectId: string) {
    return this.#db
      .selectFrom("tasks")
      .select(columns)
      .where("tasks.project_id", "=", projectId)
      .where("tasks.deleted_at", "is", null);
  }

  #ofMember(email: string) {
    return this.#withRole(email).where("tasks.deleted_at", "is", null);
  }

  #deletedOfMember(email: string) {
    return this.#withRole(email).where("tasks.deleted_at", "is not", null);
  }

  #withRole(email: string) {
    return this.#db
      .selectFrom("tasks")
      .innerJoin("members", "members.project_id", "tasks.project_id")
      .select([...columns, "members.role"])
      .where("members.email", "=", email);
  }
}
