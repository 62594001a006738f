import { BindError, dto, HttpError, type Infer, type MiddlewareFunction, string } from "@tenon/core";
import { checkLine } from "./shown-text.ts";

const maxNameLength = 80;
const untyped = "Unsupported Media Type";

export const LoginForm = dto({
  email: string("required", "email"),
  password: string("required"),
  code: string("max=30"),
  next: string(),
});

export const CodeForm = dto({ code: string("required", "max=30") });

/** In the order of the page, so that problems are listed in that order. */
export const RegisterForm = dto({
  name: string("required", "trim"),
  email: string("required", "email"),
  password: string("required", "min=8"),
  next: string(),
});
export type RegisterForm = Infer<typeof RegisterForm>;

/** Throws a BindError for a name that a page cannot show. */
export function checkName({ name }: RegisterForm): void {
  const issues = checkLine("name", name, maxNameLength);
  if (issues.length > 0) throw new BindError(issues);
}

/** A body without a type would count as JSON and need no CSRF token, and any site can make a browser send one. */
export const refuseUntyped: MiddlewareFunction = Object.assign(
  function refuseUntyped(...[ctx, next]: Parameters<MiddlewareFunction>) {
    if (ctx.header("content-type") === "") throw new HttpError(415, untyped);
    return next();
  },
  { contract: { errors: { 415: untyped } } },
);
