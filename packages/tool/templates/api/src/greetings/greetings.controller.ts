import { type Context, dto, endpoint, inject, routes, string } from "@tenon/core";
import { GreetingsService } from "./greetings.service.ts";

const Greeting = dto("Greeting", { message: string("required") });

export class GreetingsController {
  readonly #greetings = inject(GreetingsService);

  routes() {
    return routes([
      { method: "GET", path: "/", handler: this.index },
      { method: "GET", path: "/greetings/:name", handler: this.show },
    ]);
  }

  readonly index = endpoint({ summary: "Greet the world", returns: Greeting }, () => ({
    message: this.#greetings.greet("World"),
  }));

  readonly show = endpoint({ summary: "Greet someone", returns: Greeting }, (ctx: Context<"/greetings/:name">) => ({
    message: this.#greetings.greet(ctx.param("name")),
  }));
}
