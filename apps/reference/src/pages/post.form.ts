import { BindError, boolean, type Context, dto, type Issue, string } from "@tenon/core";
import { isForm } from "@tenon/web";
import { maxMarkdown } from "./markdown.ts";
import { checkLine } from "./shown-text.ts";

const longestTitle = 200;

const PostForm = dto({
  title: string(),
  content: string("required", `max=${maxMarkdown}`),
  publish: boolean(),
});

const TypedFields = dto({ title: string(), content: string(), form: string(), version: string() });

export interface TypedTexts {
  readonly title: string;
  readonly content: string;
}

/** What was typed, and what is wrong with it: the form is shown again with all of it. */
export interface TypedPost {
  readonly values: TypedTexts;
  readonly issues: readonly Issue[];
  readonly publish: boolean;
  /** Of a form for a new post: it makes one post, however often it is sent. "" from a client that has no form. */
  readonly form: string;
  /** Of a form for a post that is there: when the text that was loaded had been saved. "" from a client that has none. */
  readonly version: string;
}

export const emptyPost: TypedPost = {
  values: { title: "", content: "" },
  issues: [],
  publish: false,
  form: "",
  version: "",
};

/** Does not fail on what was typed, only on a body that is neither a form nor JSON. */
export async function readPostForm(ctx: Context): Promise<TypedPost> {
  const { form, version, ...values } = await readTyped(ctx);
  const titleIssues = checkLine("title", values.title, longestTitle);
  try {
    const { publish = false } = await ctx.bind(PostForm);
    const isBlank = values.content.trim() === "";
    const issues = isBlank ? [{ path: "content", rule: "required", message: "is required" }] : [];
    return { values, issues: [...titleIssues, ...issues], publish, form, version };
  } catch (error) {
    if (!(error instanceof BindError)) throw error;
    return { values, issues: [...titleIssues, ...error.issues], publish: false, form, version };
  }
}

export async function readTyped(ctx: Context): Promise<TypedTexts & Pick<TypedPost, "form" | "version">> {
  const {
    title = "",
    content = "",
    form = "",
    version = "",
  } = isForm(ctx.header("content-type")) ? await readFields(ctx) : await ctx.bind(TypedFields);
  // browsers send a line break as two characters
  return { title: title.trim(), content: content.replaceAll("\r\n", "\n"), form, version };
}

/** Whatever stands in them: a text that cannot be stored is handed back, too. */
async function readFields(ctx: Context) {
  const form = await ctx.request().form();
  return {
    title: form.get("title"),
    content: form.get("content"),
    form: form.get("form"),
    version: form.get("version"),
  };
}
