import { dto, type Infer, string } from "@tenon/core";

export const RegisterDTO = dto("Register", {
  email: string("required", "trim", "email", "max=200"),
  password: string("required", "min=8", "max=72"),
});
export type RegisterDTO = Infer<typeof RegisterDTO>;

export const LoginDTO = dto("Login", {
  email: string("required", "trim", "max=200"),
  password: string("required", "max=1000"),
});
export type LoginDTO = Infer<typeof LoginDTO>;
