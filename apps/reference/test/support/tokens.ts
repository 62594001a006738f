import { createHmac } from "node:crypto";
import { jwtSecret } from "./blog.ts";

type Json = Readonly<Record<string, unknown>>;

function encode(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(part: string | undefined): Json {
  return JSON.parse(Buffer.from(part ?? "", "base64url").toString()) as Json; // a token's parts are objects
}

export function headerOf(token: string): Json {
  return decode(token.split(".")[0]);
}

export function payloadOf(token: string): Json {
  return decode(token.split(".")[1]);
}

/** A token as another library would create it. */
export function mint(payload: Json, header: Json = { alg: "HS256", typ: "JWT" }, secret: string = jwtSecret): string {
  const algorithm = header.alg === "HS512" ? "sha512" : "sha256";
  const content = `${encode(header)}.${encode(payload)}`;
  return `${content}.${createHmac(algorithm, secret).update(content).digest("base64url")}`;
}
