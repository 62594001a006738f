import { type Context, dto, group, inject, routes, string } from "@tenon/core";
import { GreetingsService } from "./greetings.service.ts";

const LearnDTO = dto({ language: string("required", "len=2"), greeting: string("required", "max=40") });

export class GreetingsController {
  readonly #greetings = inject(GreetingsService);

  routes() {
    return routes([
      { method: "GET", path: "/", handler: this.index },
      group("/api", [
        group("/v1", [{ method: "GET", path: "/greetings/:language", handler: this.show }]),
        group("/v2", [{ method: "POST", path: "/greetings", handler: this.create }]),
      ]),
    ]);
  }

  index() {
    return { languages: this.#greetings.languages() };
  }

  show(ctx: Context<"/api/v1/greetings/:language">) {
    const greeting = this.#greetings.greet(ctx.param("language"), ctx.queryDefault("name", "World"));
    return greeting === undefined ? ctx.status(404).json({ error: "Language not found" }) : { greeting };
  }

  async create(ctx: Context) {
    const { language, greeting } = await ctx.bind(LearnDTO);
    this.#greetings.learn(language, greeting);
    return ctx.status(201).json({ language, greeting });
  }
}
