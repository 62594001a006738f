import { readFileSync } from "node:fs";
import { type Context, createApp, defineModule, provide } from "@tenon/core";
import { secureHeaders } from "@tenon/core/middleware";
import type { RequestHandler } from "@tenon/core/platform";
import { web } from "@tenon/web";
import { readManifest } from "../banner.ts";
import { DevtoolsParts, devtoolsPath, findPanels } from "../parts.ts";
import { ApplicationPages } from "./application-pages.ts";
import { PackagePaths } from "./package-paths.ts";
import { PanelPages } from "./panel-pages.ts";
import { guardRequests } from "./request-guard.ts";
import { RequestPages } from "./request-pages.ts";
import * as format from "./view-format.ts";

const folder = new URL("../../", import.meta.url);

/** Files of the pages, by their name. */
const assets = new Map([
  ["devtools.css", "text/css; charset=utf-8"],
  ["devtools.js", "text/javascript; charset=utf-8"],
]);

/** The pages, as an application of their own: no middleware, guard or error page of the other one applies to them. */
export async function createDevtoolsApp(parts: DevtoolsParts): Promise<RequestHandler> {
  const module = defineModule({
    name: "devtools",
    declarations: [
      provide(DevtoolsParts, () => parts),
      PackagePaths,
      RequestPages,
      ApplicationPages,
      PanelPages,
      AssetFiles,
    ],
  });
  const platform = web({
    views: new URL("views/", folder),
    middlewares: [secureHeaders(), guardRequests(parts.tokens)],
    share: () => toShared(parts),
    development: false, // else pages would be reloaded by a script of the other application
  });
  let kernel: RequestHandler | undefined;
  await createApp(
    module,
    {
      ...platform,
      resolve() {
        const resolved = platform.resolve();
        const open: typeof resolved.open = (opening) => {
          kernel = opening.kernel;
          return resolved.open(opening);
        };
        return { ...resolved, open };
      },
    },
    { log: { level: "error" }, onStartError: "throw", background: false, checkContracts: false, devtools: false },
  );
  return kernel as RequestHandler; // createApp() has opened the platform
}

/** What every view gets as `page.shared`. */
function toShared({ tokens, introspection }: DevtoolsParts) {
  const panels = findPanels(introspection).map(({ id, title }) => ({
    to: `${devtoolsPath}/panels/${id}`,
    text: title,
  }));
  return {
    ...format,
    application: readManifest().name,
    token: (path: string) => tokens.create(path),
    places: [
      { to: `${devtoolsPath}/requests`, text: "Requests" },
      { to: `${devtoolsPath}/errors`, text: "Errors" },
      { to: `${devtoolsPath}/routes`, text: "Routes" },
      { to: `${devtoolsPath}/modules`, text: "Modules" },
      { to: `${devtoolsPath}/configuration`, text: "Configuration" },
      ...panels,
    ],
  };
}

class AssetFiles {
  readonly #texts = new Map(
    assets.keys().map((name) => [name, readFileSync(new URL(`assets/${name}`, folder), "utf8")] as const),
  );

  routes() {
    return [...assets].map(([name, type]) => ({
      method: "GET" as const,
      path: `${devtoolsPath}/${name}`,
      handler: (ctx: Context) => {
        ctx.response().setHeader("content-type", type);
        return ctx.status(200).send(this.#texts.get(name) ?? "");
      },
    }));
  }
}
