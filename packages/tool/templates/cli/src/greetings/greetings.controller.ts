import { boolean, type Context, dto, type Infer, inject, routes, takes } from "@tenon/core";
import { GreetingsService } from "./greetings.service.ts";

const Greet = dto({ loud: boolean().alias("l").describe("Print in capital letters") });
type Greet = Infer<typeof Greet>;

export class GreetingsController {
  readonly #greetings = inject(GreetingsService);

  routes() {
    return routes([
      { path: "/", handler: this.index },
      { path: "greet/:name", handler: takes(Greet, this.greet) },
    ]);
  }

  /** Runs when no command is given. */
  index() {
    return this.#greetings.greet("World");
  }

  greet(ctx: Context, { loud = false }: Greet) {
    const greeting = this.#greetings.greet(ctx.param("name"));
    return loud ? greeting.toUpperCase() : greeting;
  }
}
