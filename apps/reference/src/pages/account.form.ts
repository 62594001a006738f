import { BindError, type Context, dto, HttpError, type Infer, string } from "@tenon/core";
import { checkLine } from "./shown-text.ts";

const longestName = 80;

const LoginForm = dto({
  email: string("required", "email"),
  password: string("required"),
  next: string(),
});
export type LoginForm = Infer<typeof LoginForm>;

/** In the order of the page, which is the order of its problems. */
const RegisterForm = dto({
  name: string("required"),
  email: string("required", "email"),
  password: string("required", "min=8"),
  next: string(),
});
export type RegisterForm = Infer<typeof RegisterForm>;

/** Everything that a login needs, read before it does anything. As a form or as JSON. */
export function readLogin(ctx: Context): Promise<LoginForm> {
  refuseUntyped(ctx);
  return ctx.bind(LoginForm);
}

export async function readRegistration(ctx: Context): Promise<RegisterForm> {
  refuseUntyped(ctx);
  const input = await ctx.bind(RegisterForm);
  const name = input.name.trim();
  const issues = checkLine("name", name, longestName);
  if (issues.length > 0) throw new BindError(issues);
  return { ...input, name };
}

/** Counted as JSON, a body without a type would need no token, and any site can have a browser send one. */
function refuseUntyped(ctx: Context): void {
  if (ctx.header("content-type") === "") throw new HttpError(415, "Unsupported Media Type");
}
