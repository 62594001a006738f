export {
  type AppDescription,
  type InjectionDescription,
  type ModuleDescription,
  type RouteDescription,
  toDescription,
} from "./describe.ts";
export { DeveloperAccess } from "./developer-access.ts";
