import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";

const manifest = {
  name: "shop",
  type: "module",
  dependencies: { "@tenon/core": "*", "@tenon/data": "*" },
  devDependencies: { typescript: "*", "@tenon/missing": "*" },
};

/** An application that uses the packages of the workspace, in a folder with a space and an umlaut. */
export function createRealApp(files: Readonly<Record<string, string>>): string {
  const folder = join(temporaryFolder("real"), "mein Lädchen");
  writeFiles(folder, { "package.json": JSON.stringify(manifest), ...files });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** The files of a small application with a module for posts, which the pages re-export. */
export const shopFiles: Readonly<Record<string, string>> = {
  "src/posts.ts": `import { defineModule, inject, Log, provide, type Routes, token } from "@tenon/core";

export const Title = token<string>("Title");
export class PostsService {
  readonly title = inject(Title);
  readonly log = inject(Log);
}
export class PostsController {
  readonly posts = inject(PostsService);
  routes(): Routes {
    return [{ method: "GET", path: "/posts", handler: this.index }];
  }
  index() {
    return [];
  }
}
export const PostsModule = defineModule({
  name: "posts",
  declarations: [provide(Title, () => "Blog"), PostsService, PostsController],
  exports: [PostsService],
});
`,
  "src/app.module.ts": `import { defineModule, inject } from "@tenon/core";
import { PostsModule, PostsService } from "./posts.ts";

class Reports {
  readonly posts = inject(PostsService);
}
const PagesModule = defineModule({ name: "pages", imports: [PostsModule], exports: [PostsModule] });
export const AppModule = defineModule({ name: "app", imports: [PagesModule], declarations: [Reports] });
`,
  "src/main.api.ts": `import { api, createApp } from "@tenon/core";
import { AppModule } from "./app.module.ts";

const app = await createApp(AppModule, api());
await app.listen({ port: 0 });
`,
};
