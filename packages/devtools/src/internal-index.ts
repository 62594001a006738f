export {
  type AppDescription,
  type InjectionDescription,
  type ModuleDescription,
  type RouteDescription,
  toDescription,
} from "./describe.ts";
export { DeveloperAccess } from "./developer-access.ts";
export { readExcerpt, readLines, toCodeFrame } from "./error-text/code-frame.ts";
export { findHints } from "./error-text/hints.ts";
export { ownFramesOf, type Place } from "./error-text/stack-frame.ts";
export { type LocatedError, toTerminalText } from "./error-text/terminal-text.ts";
