import { boolean, dto, inject, route } from "@tenon/core";
import { GreetingsService } from "./greetings.service.ts";

const Greet = dto({ loud: boolean().alias("l").describe("Print in capital letters") });

export class GreetingsController {
  readonly #greetings = inject(GreetingsService);

  /** Runs when no command is given. */
  readonly index = route.command("/", { summary: "Greet the world" }, () => this.#greetings.greet("World"));

  readonly greet = route.command(
    "greet/:name",
    { summary: "Greet someone", query: Greet },
    (ctx, { query: { loud = false } }) => {
      const greeting = this.#greetings.greet(ctx.param("name"));
      return loud ? greeting.toUpperCase() : greeting;
    },
  );

  routes() {
    return [this.index, this.greet];
  }
}
