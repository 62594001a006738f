// A plugin of typedoc: names each module as it is imported, such as "@tenon/core/testing".
import { Converter, ReflectionKind } from "typedoc";

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return;
    const [, name, subpath] = /^(\w+)\/src(?:\/(\w+))?/.exec(reflection.name) ?? [];
    if (name !== undefined) reflection.name = ["@tenon", name, ...(subpath === undefined ? [] : [subpath])].join("/");
  });
}
