import { defineModule, inject, provide } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { WebSessionSettings } from "@tenon/web";
import { DataModule } from "./data.module.ts";
import { SampleItemsModule } from "./sample-items/sample-items.module.ts";

/** Stands for the module of the application, which the tests of pages import. It is not generated. */
export const AppModule = defineModule({
  name: "app",
  imports: [DataModule, SampleItemsModule],
  declarations: [provide(WebSessionSettings, () => ({ store: inject(KeyValue), secret: "" }))],
});
