import { dataModule } from "@tenon/data";

/** The stores that all modules share: `data/app.db` in the folder of the start. */
export const DataModule = dataModule();
