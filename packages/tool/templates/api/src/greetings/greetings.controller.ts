import { type Context, inject, routes } from "@tenon/core";
import { GreetingsService } from "./greetings.service.ts";

export class GreetingsController {
  readonly #greetings = inject(GreetingsService);

  routes() {
    return routes([
      { method: "GET", path: "/", handler: this.index },
      { method: "GET", path: "/greetings/:name", handler: this.show },
    ]);
  }

  index() {
    return { message: this.#greetings.greet("World") };
  }

  show(ctx: Context<"/greetings/:name">) {
    return { message: this.#greetings.greet(ctx.param("name")) };
  }
}
