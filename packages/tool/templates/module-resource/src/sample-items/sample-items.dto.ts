import { {%= imports %} } from "@tenon/core";
import type { Row } from "@tenon/data";

/** The columns of the table, and what clients see of them. */
export const SampleItem = dto("SampleItem", {
  id: string("required"),
{% for (const field of fields) { -%}
  {%= field.name %}: {%= field.code.declaration %},
{% } -%}
  created_at: timestamp("required"),
  updated_at: timestamp("required"),
});
export type SampleItem = Row<typeof SampleItem>;

export const CreateSampleItem = SampleItem.omit("id", {% if (owner) { %}"user_id", {% } %}"created_at", "updated_at").named("CreateSampleItem");
export type CreateSampleItem = Infer<typeof CreateSampleItem>;

export const UpdateSampleItem = CreateSampleItem.partial().named("UpdateSampleItem");
export type UpdateSampleItem = Infer<typeof UpdateSampleItem>;

export const notFound = { 404: "Sample item not found" } as const;
