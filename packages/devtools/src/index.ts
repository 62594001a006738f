export { toReadableLine } from "./log/readable-line.ts";
export { openDevtools } from "./open-devtools.ts";
