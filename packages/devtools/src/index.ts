export { openDevtools } from "./open-devtools.ts";
