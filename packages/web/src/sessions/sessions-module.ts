import { defineModule, type Module, provide } from "@tenon/core";
import { type ConfigIn, resolveOptions } from "@tenon/core/internal";
import { type PlainSessionOptions, type SessionOptions, SessionSettings, toSessionSettings } from "./settings.ts";
import { WebSessions } from "./web-sessions.ts";

/** Sessions of browsers, on a store of the given data module. Exports `WebSessions`, for `web({ middlewares })`. */
export function sessionsModule<Data extends Module, const Imports extends readonly Module[] = []>(
  data: Data,
  options: SessionOptions<Imports>,
): Module<ConfigIn<[Data, ...Imports]>> {
  const resolve = () => resolveOptions<PlainSessionOptions, "store">(options, ["store"]);
  return defineModule({
    name: "web-sessions",
    imports: [data, ...(options?.imports ?? [])],
    declarations: [provide(SessionSettings, () => toSessionSettings(resolve())), WebSessions],
    exports: [WebSessions],
  });
}
