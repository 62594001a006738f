import { dto, inject, route, string } from "@tenon/core";
import { GreetingsService } from "./greetings.service.ts";

const Greeting = dto("Greeting", { message: string("required") });

export class GreetingsController {
  readonly #greetings = inject(GreetingsService);

  readonly index = route.get("/", { summary: "Greet the world", access: "public", returns: Greeting }, () => ({
    message: this.#greetings.greet("World"),
  }));

  readonly show = route.get(
    "/greetings/:name",
    { summary: "Greet someone", access: "public", returns: Greeting },
    (ctx) => ({
      message: this.#greetings.greet(ctx.param("name")),
    }),
  );

  routes() {
    return [this.index, this.show];
  }
}
