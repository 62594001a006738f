export {
  type AppDescription,
  type InjectionDescription,
  type ModuleDescription,
  type RouteDescription,
  toDescription,
} from "./describe.ts";
export { DeveloperAccess } from "./developer-access.ts";
export { readExcerpt, readLines, toCodeFrame } from "./failure/code-frame.ts";
export { type Failure, toFailureText } from "./failure/failure-text.ts";
export { findHints } from "./failure/hints.ts";
export { ownFramesOf, type Place } from "./failure/stack-frame.ts";
