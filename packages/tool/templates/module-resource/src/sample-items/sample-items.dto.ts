import { dto, type Infer, integer, string } from "@tenon/core";

export const CreateSampleItemDTO = dto("CreateSampleItem", {
  title: string("required", "max=200"),
});
export type CreateSampleItemDTO = Infer<typeof CreateSampleItemDTO>;

export const UpdateSampleItemDTO = dto("UpdateSampleItem", {
  title: string("required", "max=200"),
});
export type UpdateSampleItemDTO = Infer<typeof UpdateSampleItemDTO>;

export const PageQuery = dto({
  limit: integer("min=1", "max=1000", "default=100").alias("l").describe("How many to list; 100 by default"),
  offset: integer("min=0", "default=0").describe("How many to skip; 0 by default"),
});
export type PageQuery = Infer<typeof PageQuery>;

export const notFound = { 404: "Sample item not found" } as const;
