import { inject } from "@tenon/core";
import { Migrations } from "@tenon/data";

/** Adds the files of src/migrations after the migrations of all modules. */
export class AppMigrations {
  constructor() {
    inject(Migrations).add({ folder: new URL("./migrations/", import.meta.url) });
  }
}
