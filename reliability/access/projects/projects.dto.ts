import { boolean, dto, type Infer, literal, string, timestamp } from "@tenon/core";
import { PageQuery, type Row } from "@tenon/data";

const id = string("required");
const created_at = timestamp("required");
const role = literal(["owner", "editor", "viewer"], "required");

export const Project = dto("Project", { id, name: string("required", "min=1", "max=100"), created_at });
export const ProjectInput = Project.omit("id", "created_at").named("ProjectInput");
export type ProjectInput = Infer<typeof ProjectInput>;
/** A project and what its reader may do there. */
export const MyProject = dto("MyProject", { ...Project.fields, role });

/** Members are known by their address, so that one can be invited who has no account yet. */
export const Member = dto("Member", { id, project_id: id, email: string("required", "email"), role });
export const MemberInput = Member.omit("id", "project_id").named("MemberInput");
export type MemberInput = Infer<typeof MemberInput>;
export const RoleInput = dto("RoleInput", { role });

export const Task = dto("Task", {
  id,
  project_id: id,
  author_id: id,
  title: string("required", "min=1", "max=200"),
  done: boolean("required"),
  created_at,
});
export const TaskInput = dto("TaskInput", { title: Task.fields.title });
export type TaskInput = Infer<typeof TaskInput>;
export const TaskChanges = dto("TaskChanges", {
  title: string("min=1", "max=200"),
  done: boolean(),
  project_id: string("uuid").describe("Moves the task to another project."),
});
export type TaskChanges = Infer<typeof TaskChanges>;
export const TaskQuery = dto({
  ...PageQuery.fields,
  project_id: string("uuid").describe("Only tasks of this project."),
  q: string("min=1", "max=100").describe("Only tasks with this text in their title."),
});
export type TaskQuery = Infer<typeof TaskQuery>;

export const Comment = dto("Comment", {
  id,
  task_id: id,
  author_id: id,
  text: string("required", "min=1", "max=1000"),
  created_at,
});
export const CommentInput = Comment.omit("id", "task_id", "author_id", "created_at").named("CommentInput");
export type CommentInput = Infer<typeof CommentInput>;

export type Project = Row<typeof Project>;
export type MyProject = Row<typeof MyProject>;
export type Member = Row<typeof Member>;
export type Task = Row<typeof Task>;
export type Comment = Row<typeof Comment>;

export interface Schema {
  projects: Project;
  members: Member;
  tasks: Task & { deleted_at: string | null };
  comments: Comment;
}
