import { type Context, dto, inject, type Routes, string } from "@tenon/core";
import { GreetingsService } from "./greetings.service.ts";

const LearnDTO = dto({ language: string("required", "len=2"), greeting: string("required", "max=40") });

export class GreetingsController {
  readonly #greetings = inject(GreetingsService);

  routes(): Routes {
    return [
      { method: "GET", path: "/", handler: this.index },
      {
        path: "/api",
        children: [
          { path: "/v1", children: [{ method: "GET", path: "/greetings/:language", handler: this.show }] },
          { path: "/v2", children: [{ method: "POST", path: "/greetings", handler: this.create }] },
        ],
      },
    ];
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
