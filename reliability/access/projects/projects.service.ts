import { randomUUID } from "node:crypto";
import { Clock, inject } from "@tenon/core";
import { Database, type PageQuery, paginate } from "@tenon/data";
import type { Member, MemberInput, MyProject, Project, ProjectInput, Schema } from "./projects.dto.ts";

export class ProjectsService {
  readonly #db = inject(Database<Schema>);
  readonly #clock = inject(Clock);

  list(email: string, query: PageQuery) {
    return paginate(this.#ofMember(email), { by: ["projects.created_at", "desc"], ...query });
  }

  /** Undefined for a user who is not a member. */
  findFor(email: string, id: string): Promise<MyProject | undefined> {
    return this.#ofMember(email).where("projects.id", "=", id).executeTakeFirst();
  }

  create(email: string, { name }: ProjectInput): Promise<MyProject> {
    const project = { id: randomUUID(), name, created_at: this.#clock.timestamp() };
    return this.#db.transaction().execute(async (transaction) => {
      await transaction.insertInto("projects").values(project).execute();
      const owner = { id: randomUUID(), project_id: project.id, email, role: "owner" } as const;
      await transaction.insertInto("members").values(owner).execute();
      return { ...project, role: owner.role };
    });
  }

  rename(id: string, { name }: ProjectInput): Promise<Project | undefined> {
    return this.#db.updateTable("projects").set({ name }).where("id", "=", id).returningAll().executeTakeFirst();
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom("projects").where("id", "=", id).execute();
  }

  members(id: string): Promise<Member[]> {
    return this.#db.selectFrom("members").selectAll().where("project_id", "=", id).orderBy("email").execute();
  }

  async addMember(id: string, { email, role }: MemberInput): Promise<Member> {
    const member = { id: randomUUID(), project_id: id, email, role };
    await this.#db.insertInto("members").values(member).execute();
    return member;
  }

  /** Undefined for a member of another project. */
  setRole(id: string, memberId: string, role: Member["role"]): Promise<Member | undefined> {
    return this.#db
      .updateTable("members")
      .set({ role })
      .where("id", "=", memberId)
      .where("project_id", "=", id)
      .returningAll()
      .executeTakeFirst();
  }

  #ofMember(email: string) {
    return this.#db
      .selectFrom("projects")
      .innerJoin("members", "members.project_id", "projects.id")
      .select(["projects.id", "projects.name", "projects.created_at", "members.role"])
      .where("members.email", "=", email);
  }
}
