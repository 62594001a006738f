export { connectToPrimary, type PrimaryPort, type WorkerPort } from "./primary.ts";
export { type BoundAddress, obeyPrimary, tellReady, Workers } from "./workers.ts";
