import { BindError, boolean, type Context, dto, type Issue, string } from "@tenon/core";
import { maxMarkdown } from "./markdown.ts";

const PostForm = dto({
  title: string("required", "max=200"),
  content: string("required", `max=${maxMarkdown}`),
  publish: boolean(),
});

export interface TypedTexts {
  readonly title: string;
  readonly content: string;
}

/** What was typed, and what is wrong with it: the form is shown again with all of it. */
export interface TypedPost {
  readonly values: TypedTexts;
  readonly issues: readonly Issue[];
  readonly publish: boolean;
}

export const emptyPost: TypedPost = { values: { title: "", content: "" }, issues: [], publish: false };

/** Does not fail on what was typed, only on a body that is no form. */
export async function readPostForm(ctx: Context): Promise<TypedPost> {
  const values = await readTyped(ctx);
  try {
    const { publish = false } = await ctx.bind(PostForm);
    const blanks = Object.entries(values).filter(([, text]) => text.trim() === "");
    const issues = blanks.map(([path]) => ({ path, rule: "required", message: "is required" }));
    return { values, issues, publish };
  } catch (error) {
    if (!(error instanceof BindError)) throw error;
    return { values, issues: error.issues, publish: false };
  }
}

export async function readTyped(ctx: Context): Promise<TypedTexts> {
  const form = await ctx.request().form();
  // browsers send a line break as two characters
  return { title: form.get("title").trim(), content: form.get("content").replaceAll("\r\n", "\n") };
}
