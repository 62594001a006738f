import { randomBytes } from "node:crypto";
import type { Context } from "@tenon/core";
import { explainForeignOrigin, HttpError } from "@tenon/core";
import { isForm } from "@tenon/core/platform";
import { isSameSecret, Signature } from "./signature.ts";

/** The name of the form field that carries the token. */
export const csrfField = "_csrf";

const size = 32;
const form = /^[A-Za-z0-9_-]{86}$/;

/** Tokens that belong to a session id, without a store. */
export class CsrfTokens {
  readonly #signature: Signature;

  constructor(secret: string) {
    this.#signature = new Signature(secret, "csrf");
  }

  /** Under a random pad: the same bytes in every page would let a compressed page be guessed at byte by byte. */
  create(id: string): string {
    const pad = randomBytes(size);
    return Buffer.concat([pad, xor(pad, this.#signature.of(id))]).toString("base64url");
  }

  isFor(id: string, token: string): boolean {
    if (!form.test(token)) return false;
    const bytes = Buffer.from(token, "base64url");
    return isSameSecret(xor(bytes.subarray(0, size), bytes.subarray(size)), this.#signature.of(id));
  }
}

function xor(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.map((byte, index) => byte ^ (right[index] as number)); // both are of the same size
}

/** As much of a session as the check needs. */
interface Checked {
  readonly identity: {
    current(): { readonly known: boolean } | undefined;
    /** Keeps the reply from changing what the browser has. */
    mute(): void;
  };
  readonly session: { isCsrfToken(token: string): boolean };
}

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether a request of this method only asks. */
export function isSafe(method: string): boolean {
  return safeMethods.has(method);
}

/** Whether a page of somebody else could make a browser send this with what the browser keeps for us. */
export function needsCsrfCheck(ctx: Context): boolean {
  if (isSafe(ctx.method)) return false;
  return ctx.header("cookie") !== "" || isForm(ctx.header("content-type"));
}

/** Refuses with 403 what did not come from a page of this application. */
export async function checkCsrf(ctx: Context, checked: Checked): Promise<void> {
  const foreign = explainForeignOrigin(ctx);
  if (foreign !== undefined) {
    // browsers send such a request without our cookie: a new one in its reply would take the visitor's place
    checked.identity.mute();
    refuse(ctx, "This request came from another site.", foreign);
  }
  const fault = await explainToken(ctx, checked);
  if (fault !== undefined) refuse(ctx, "This form has expired. Go back, reload the page and try again.", fault);
}

function refuse(ctx: Context, message: string, reason: string): never {
  ctx.log.info({ event: "csrf refused", reason });
  throw new HttpError(403, message, { cause: new Error(reason) });
}

async function explainToken(ctx: Context, { identity, session }: Checked): Promise<string | undefined> {
  if (identity.current()?.known !== true) return "The request has no cookie of a living session.";
  const header = ctx.header("x-csrf-token");
  const sent = isForm(ctx.header("content-type"));
  const token = header !== "" || !sent ? header : (await ctx.request().form()).get(csrfField);
  if (session.isCsrfToken(token)) return undefined;
  if (token !== "") return "The token was made for another session.";
  return sent
    ? "The form has no field _csrf: write <%~ page.csrfField() %> into it."
    : "The request has no header x-csrf-token: it takes what page.csrfToken() gives.";
}
