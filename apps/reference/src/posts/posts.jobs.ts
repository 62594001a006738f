import { type Context, type Infer, inject, type Routes } from "@tenon/core";
import { job } from "@tenon/jobs";
import { PostsService } from "./posts.service.ts";
import { PublishPost } from "./publication.ts";

export class PostsJobs {
  readonly #posts = inject(PostsService);

  routes(): Routes {
    return [job(PublishPost, this.publish)];
  }

  /** A post that was deleted in the meantime is not an error. */
  async publish(_: Context, { post_id }: Infer<typeof PublishPost.input>) {
    const post = await this.#posts.patch(post_id, { published: true });
    return { published: post !== undefined };
  }
}
