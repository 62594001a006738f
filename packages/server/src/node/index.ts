export { NodeServer } from "./server.ts";
