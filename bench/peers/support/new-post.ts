import { array, boolean, dto, integer, string } from "@tenon/core";

/** What a client sends to create a post. */
export const NewPost = dto({
  title: string("required", "max=200"),
  content: string("required"),
  priority: integer("required", "min=1", "max=5"),
  published: boolean("required"),
  tags: array(string(), "required"),
});
