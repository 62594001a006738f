import { authModule } from "@tenon/auth";
import { defineModule } from "@tenon/core";
import { dataModule } from "@tenon/data";
import { liveModule } from "@tenon/live";
import { CommentsController } from "./comments.controller.ts";
import { CommentsService } from "./comments.service.ts";
import { MembersController } from "./members.controller.ts";
import { migrations } from "./migrations.ts";
import {
  CommentAuthor,
  DeletedTaskEditor,
  ProjectEditor,
  ProjectMember,
  ProjectOwner,
  TaskEditor,
  TaskMember,
} from "./policies.ts";
import { ProjectsController } from "./projects.controller.ts";
import { ProjectsService } from "./projects.service.ts";
import { TaskListsController } from "./task-lists.controller.ts";
import { TasksController } from "./tasks.controller.ts";
import { TasksService } from "./tasks.service.ts";

/** Projects with tasks and comments, which only the members of a project see. */
export function createAppModule(database: string, secret: string) {
  const data = dataModule({ database, migrations });
  return defineModule({
    name: "projects",
    imports: [data, authModule(data, { secret }), liveModule(data)],
    declarations: [
      ...[ProjectsController, MembersController, TasksController, TaskListsController, CommentsController],
      ...[ProjectsService, TasksService, CommentsService],
      ...[ProjectMember, ProjectEditor, ProjectOwner, TaskMember, TaskEditor, DeletedTaskEditor, CommentAuthor],
    ],
  });
}
