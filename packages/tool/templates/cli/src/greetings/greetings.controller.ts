import { boolean, dto, endpoint, inject, routes } from "@tenon/core";
import { GreetingsService } from "./greetings.service.ts";

const Greet = dto({ loud: boolean().alias("l").describe("Print in capital letters") });

export class GreetingsController {
  readonly #greetings = inject(GreetingsService);

  routes() {
    return routes([
      { path: "/", handler: this.index },
      { path: "greet/:name", handler: this.greet },
    ]);
  }

  /** Runs when no command is given. */
  readonly index = endpoint({ summary: "Greet the world" }, () => this.#greetings.greet("World"));

  readonly greet = endpoint({ summary: "Greet someone", query: Greet }, (ctx, { query: { loud = false } }) => {
    const greeting = this.#greetings.greet(ctx.param("name"));
    return loud ? greeting.toUpperCase() : greeting;
  });
}
