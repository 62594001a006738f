import { dto, string, timestamp } from "@tenon/core";

export interface SampleItem {
  readonly id: string;
  readonly title: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What clients see of it. A field that is not declared here is not sent. */
export const SampleItem = dto("SampleItem", {
  id: string("required"),
  title: string("required"),
  created_at: timestamp("required"),
  updated_at: timestamp("required"),
});
