import { dataModule } from "@tenon/data";

/** The stores that all modules share, in `data/app.db` below the current folder. */
export const DataModule = dataModule();
