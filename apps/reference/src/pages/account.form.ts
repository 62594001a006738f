import { BindError, type Context, dto, HttpError, type Infer, string } from "@tenon/core";
import { checkLine } from "./shown-text.ts";

const maxNameLength = 80;

const LoginForm = dto({
  email: string("required", "email"),
  password: string("required"),
  next: string(),
});
export type LoginForm = Infer<typeof LoginForm>;

/** In the order of the page, so that problems are listed in that order. */
const RegisterForm = dto({
  name: string("required"),
  email: string("required", "email"),
  password: string("required", "min=8"),
  next: string(),
});
export type RegisterForm = Infer<typeof RegisterForm>;

/** The input of a login, from a form or JSON. */
export function readLogin(ctx: Context): Promise<LoginForm> {
  refuseUntyped(ctx);
  return ctx.bind(LoginForm);
}

export async function readRegistration(ctx: Context): Promise<RegisterForm> {
  refuseUntyped(ctx);
  const input = await ctx.bind(RegisterForm);
  const name = input.name.trim();
  const issues = checkLine("name", name, maxNameLength);
  if (issues.length > 0) throw new BindError(issues);
  return { ...input, name };
}

/** A body without a type would count as JSON and need no CSRF token, and any site can make a browser send one. */
function refuseUntyped(ctx: Context): void {
  if (ctx.header("content-type") === "") throw new HttpError(415, "Unsupported Media Type");
}
