import { array, boolean, dto, integer, string } from "@tenon/core";

export const Post = dto("Post", {
  id: string("required"),
  title: string("required"),
  kind: string("required", "oneof=note article"),
});
export const CreatePost = dto({ title: string("required", "max=20") });
export const PageQuery = dto({ limit: integer("min=1", "max=50"), drafts: boolean(), tag: array(string()) });

/** A post as a table holds it, with a field that no response may show. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly kind: "note" | "article";
  readonly password: string;
}

export const row: Row = { id: "1", title: "First", kind: "note", password: "secret" };
export const find = async (id: string): Promise<Row | undefined> => (id === row.id ? row : undefined);
