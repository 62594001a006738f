import assert from "node:assert/strict";
import type { OpenApiDocument } from "@tenon/core/platform";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { type CallOptions, Client, type Reply } from "./client.ts";

/** A client that compares every response with the OpenAPI document of the service. */
export class DescribedClient extends Client {
  readonly #describe: () => Promise<OpenApiDocument>;
  #last: { readonly document: OpenApiDocument; readonly checker: ResponseChecker } | undefined;

  /** `describe` is called for every response, because tests add routes. */
  constructor(url: string, describe: () => Promise<OpenApiDocument>) {
    super(url);
    this.#describe = describe;
  }

  override async call<T = unknown>(method: string, path: string, options: CallOptions = {}): Promise<Reply<T>> {
    const reply = await super.call<T>(method, path, options);
    const document = await this.#describe();
    if (this.#last?.document !== document) this.#last = { document, checker: toChecker(document) };
    this.#last.checker.check(method, path, reply);
    return reply;
  }
}

/** The responses to requests that no route handles, which no operation declares. */
const ofServer: ReadonlyMap<number, string> = new Map([
  [400, "Bad Request"],
  [404, "Not Found"],
]);

/** By the document's text: most services have the same document, and a validator takes long to compile. */
const checkers = new Map<string, ResponseChecker>();

function toChecker(document: OpenApiDocument): ResponseChecker {
  const text = JSON.stringify(document);
  const known = checkers.get(text) ?? new ResponseChecker(document);
  checkers.set(text, known);
  return known;
}

class ResponseChecker {
  readonly #document: OpenApiDocument;
  readonly #ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv.addSchema(document, "openapi");
  }

  check(method: string, target: string, reply: Reply<unknown>): void {
    const [path = ""] = target.split("?", 1);
    const verb = method === "HEAD" ? "get" : method.toLowerCase();
    const template = this.#find(path, verb);
    const operation = this.#document.paths[template]?.[verb];
    const responses = operation?.responses ?? {};
    const place = `${method} ${template || path} responds with ${reply.status}`;
    const status = String(reply.status) in responses ? String(reply.status) : "default";
    const declared = responses[status];
    if (declared === undefined) {
      const own = ofServer.get(reply.status);
      assert.ok(own !== undefined, `${place}, which is not declared`);
      if (method !== "HEAD") assert.deepEqual(reply.body, { error: own }, `${place}, which is not declared`);
      return;
    }
    if (declared.content === undefined) {
      if (status !== "default") assert.equal(reply.text, "", `${place} and a body, which is not declared`);
      return;
    }
    const [type = ""] = (reply.headers.get("content-type") ?? "").split(";");
    assert.ok(type in declared.content, `${place} and the type "${type}", which is not declared`);
    if (method === "HEAD") return;
    const pointer = ["paths", template, verb, "responses", status, "content", type, "schema"]
      .map(toPointerSegment)
      .join("/");
    const validate = this.#validatorOf(`openapi#/${pointer}`);
    const isValid = validate(reply.body);
    assert.ok(isValid, `${place} and a body that is not as declared: ${this.#ajv.errorsText(validate.errors)}`);
  }

  #validatorOf(reference: string): ValidateFunction {
    const known = this.#validators.get(reference) ?? this.#ajv.compile({ $ref: reference });
    this.#validators.set(reference, known);
    return known;
  }

  /** An exact path before one with parameters, as the router does; "" when there is none. */
  #find(path: string, verb: string): string {
    const templates = Object.keys(this.#document.paths).filter(
      (template) => verb in (this.#document.paths[template] ?? {}),
    );
    return templates.find((template) => template === path) ?? templates.find((one) => matches(one, path)) ?? "";
  }
}

function matches(template: string, path: string): boolean {
  const [expected, given] = [template.split("/"), path.split("/")];
  return (
    expected.length === given.length &&
    expected.every((segment, index) => (segment.startsWith("{") ? given[index] !== "" : segment === given[index]))
  );
}

/** A segment of a JSON pointer in a URI (RFC 6901, 6). */
function toPointerSegment(segment: string): string {
  return encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"));
}
