import { BindError, boolean, type Context, dto, type Issue, string } from "@tenon/core";
import { isForm } from "@tenon/web";
import { maxMarkdown } from "./markdown.ts";
import { checkLine } from "./shown-text.ts";

const maxTitleLength = 200;

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

/** The input of a form and its issues, to show the form again. */
export interface TypedPost {
  readonly values: TypedTexts;
  readonly issues: readonly Issue[];
  readonly publish: boolean;
  /** Identifies a form for a new post, so that it creates one post, however often it is sent. "" from a client without a form. */
  readonly form: string;
  /** The `updated_at` of the post that a form was loaded with. "" from a client that sends none. */
  readonly version: string;
}

export const emptyPost: TypedPost = {
  values: { title: "", content: "" },
  issues: [],
  publish: false,
  form: "",
  version: "",
};

/** Returns issues instead of throwing, except for a body that is neither a form nor JSON. */
export async function readPostForm(ctx: Context): Promise<TypedPost> {
  const { form, version, ...values } = await readTyped(ctx);
  const titleIssues = checkLine("title", values.title, maxTitleLength);
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
  // browsers send line breaks as CRLF
  return { title: title.trim(), content: content.replaceAll("\r\n", "\n"), form, version };
}

/** Unchecked, so that text that cannot be stored is shown again too. */
async function readFields(ctx: Context) {
  const form = await ctx.request().form();
  return {
    title: form.get("title"),
    content: form.get("content"),
    form: form.get("form"),
    version: form.get("version"),
  };
}
