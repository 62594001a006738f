import { dto, inject, route, string } from "@tenon/core";
import { redirect } from "@tenon/web";
import { GreetingsService } from "./greetings.service.ts";

const GreetForm = dto({ name: string("required", "max=50") });

export class GreetingsPages {
  readonly #greetings = inject(GreetingsService);

  readonly index = route.get("/", { summary: "Greet the visitor", access: "public" }, async (ctx) => {
    const name = (await ctx.get("session").get<string>("name")) ?? "World";
    return { message: this.#greetings.greet(name) };
  });

  readonly greet = route.post(
    "/greetings",
    { summary: "Note a name", access: "public", body: { form: GreetForm } },
    async (ctx, { body }) => {
      const session = ctx.get("session");
      await session.set("name", body.name);
      await session.flash("done", "Your name was noted.");
      return redirect("/");
    },
  );

  routes() {
    return [this.index, this.greet];
  }
}
