export { type DevtoolsOptions, devtools } from "./devtools/devtools-module.ts";
