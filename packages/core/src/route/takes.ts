import type { Context } from "../context/context.ts";
import type { InferOutput, Schema } from "../dto/standard-schema.ts";
import type { Handler } from "./record.ts";

const taken = Symbol("tenon.takes");

/** Binds before the handler runs and hands it the value; the route table then knows what the route takes. */
export function takes<S extends Schema>(schema: S, handler: (ctx: Context, input: InferOutput<S>) => unknown): Handler {
  async function bindThenHandle(this: unknown, ctx: Context): Promise<unknown> {
    return handler.call(this, ctx, await ctx.bind(schema));
  }
  Object.defineProperty(bindThenHandle, "name", { value: handler.name });
  return Object.assign(bindThenHandle, { [taken]: schema });
}

export function schemaOf(handler: Handler): Schema | undefined {
  return (handler as { readonly [taken]?: Schema })[taken]; // only takes() sets it
}
