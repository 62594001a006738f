import { BearerAuth } from "@tenon/auth";
import { array, inject, route } from "@tenon/core";
import { rejectDuplicates } from "@tenon/data";
import { ProjectMember, ProjectOwner } from "./policies.ts";
import { Member, MemberInput, RoleInput } from "./projects.dto.ts";
import { ProjectsService } from "./projects.service.ts";

const members = route.under("/projects/:id/members", { middlewares: [BearerAuth], errors: { 404: "Not Found" } });

export class MembersController {
  readonly #projects = inject(ProjectsService);

  readonly index = members.get("/", { middlewares: [ProjectMember], returns: array(Member) }, (ctx) =>
    this.#projects.members(ctx.param("id")),
  );

  readonly create = members.post(
    "/",
    { middlewares: [ProjectOwner], body: MemberInput, returns: { 201: Member } },
    (ctx, { body }) => rejectDuplicates(this.#projects.addMember(ctx.param("id"), body)),
  );

  readonly update = members.patch(
    "/:member_id",
    { middlewares: [ProjectOwner], body: RoleInput, returns: Member },
    async (ctx, { body }) =>
      (await this.#projects.setRole(ctx.param("id"), ctx.param("member_id"), body.role)) ?? ctx.fail(404),
  );

  routes() {
    return [this.index, this.create, this.update];
  }
}
