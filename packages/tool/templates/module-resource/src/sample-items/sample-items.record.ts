export interface SampleItem {
  readonly id: string;
  readonly title: string;
  readonly created_at: string;
  readonly updated_at: string;
}
