import { boolean, dto, type Infer, string } from "@tenon/core";

export const CreatePostDTO = dto({
  title: string("required"),
  content: string("required"),
});
export type CreatePostDTO = Infer<typeof CreatePostDTO>;

export const UpdatePostDTO = dto({
  title: string(),
  content: string(),
  published: boolean(),
});
export type UpdatePostDTO = Infer<typeof UpdatePostDTO>;
