import { dto, type Infer, string } from "@tenon/core";

export const CreateSampleItemDTO = dto({
  title: string("required", "max=200"),
});
export type CreateSampleItemDTO = Infer<typeof CreateSampleItemDTO>;

export const UpdateSampleItemDTO = dto({
  title: string("required", "max=200"),
});
export type UpdateSampleItemDTO = Infer<typeof UpdateSampleItemDTO>;
