import { boolean, dto, type Infer, integer, nested, string, timestamp } from "@tenon/core";
import { User } from "../users/users.dto.ts";

export const Post = dto("Post", {
  id: string("required"),
  title: string("required"),
  content: string("required"),
  author_id: string("required"),
  published: boolean("required"),
  created_at: timestamp("required"),
  updated_at: timestamp("required"),
  author: nested(User).describe("Loaded on list and show."),
});

/** A post in the stream of changes, without its content: the post itself may be large. */
export const PostSummary = dto("PostSummary", {
  id: string("required"),
  title: string("required"),
  author_id: string("required"),
  created_at: timestamp("required"),
  updated_at: timestamp("required"),
});

export const PostRef = dto("PostRef", { id: string("required") });

export const CreatePostDTO = dto("CreatePost", {
  title: string("required"),
  content: string("required"),
});
export type CreatePostDTO = Infer<typeof CreatePostDTO>;

/** For a full replace, in which null counts as omitted. */
export const UpdatePostDTO = dto("UpdatePost", {
  title: string("nullable"),
  content: string("nullable"),
  published: boolean("nullable"),
});
export type UpdatePostDTO = Infer<typeof UpdatePostDTO>;

export const PatchPostDTO = dto("PatchPost", {
  title: string(),
  content: string(),
  published: boolean(),
});
export type PatchPostDTO = Infer<typeof PatchPostDTO>;

export const PageQuery = dto({
  limit: integer("min=1", "max=1000").describe("How many posts to return. Defaults to all of them."),
  cursor: string("min=1").describe("Where to continue, from the `Link` header of the page before."),
});
export type PageQuery = Infer<typeof PageQuery>;
