import { dto, inject, route, string } from "@tenon/core";
import { GreetingsService } from "./greetings.service.ts";

const Greeting = dto("Greeting", { language: string("required", "len=2"), greeting: string("required", "max=40") });

export class GreetingsController {
  readonly #greetings = inject(GreetingsService);

  readonly index = route.get("/", () => {
    return { languages: this.#greetings.languages() };
  });

  readonly show = route.get("/api/v1/greetings/:language", { errors: { 404: "Language not found" } }, (ctx) => {
    const greeting = this.#greetings.greet(ctx.param("language"), ctx.queryDefault("name", "World"));
    return greeting === undefined ? ctx.fail(404) : { greeting };
  });

  readonly create = route.post("/api/v2/greetings", { body: Greeting, returns: { 201: Greeting } }, (_, { body }) => {
    this.#greetings.learn(body.language, body.greeting);
    return body;
  });

  routes() {
    return [this.index, this.show, this.create];
  }
}
