import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { toClientFile } from "../../src/client/client-file.ts";
import { parseDocument } from "../../src/client/document.ts";
import type { CallOptions, ClientOptions } from "../../src/client/runtime/options.ts";

export interface Result {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** An operation of a client whose types the tests of client-file check. */
export interface Call {
  (input?: object, options?: CallOptions): Promise<Result>;
  orThrow(input?: object, options?: CallOptions): Promise<unknown>;
}

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type Respond = (response: ServerResponse) => void;

/** A real server that keeps the last request and responds as the test says. */
export class LibraryServer {
  readonly #server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url = "", headers } = request;
    this.last = { method, url, headers, body: Buffer.concat(chunks) };
    this.#respond(response);
  });
  #respond: Respond = (response) => response.writeHead(204).end();
  last: Received = { method: "", url: "", headers: {}, body: Buffer.of() };
  url = "";

  static async start(): Promise<LibraryServer> {
    const library = new LibraryServer();
    const server = library.#server.listen(0, "127.0.0.1");
    await once(server, "listening");
    library.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has no path
    after(() => {
      server.closeAllConnections();
      server.close();
    });
    return library;
  }

  respond(respond: Respond): void {
    this.#respond = respond;
  }

  respondWith(status: number, type: string, body: string | Buffer): void {
    this.respond((response) => response.writeHead(status, type === "" ? {} : { "content-type": type }).end(body));
  }
}

/** The module that a generated client is. */
export async function importClient(document: object) {
  const path = join(temporaryFolder("client"), "client.ts");
  writeFileSync(path, toClientFile(parseDocument(JSON.stringify(document), "the document")));
  // as the file says, without the types of its operations
  return (await import(pathToFileURL(path).href)) as typeof import("../../src/client/runtime/errors.ts") & {
    createClient(options?: ClientOptions): object;
  };
}

/** The operation with these words: `books.show`. */
export function callOf(client: object, id: string): Call {
  return id.split(".").reduce<object>((group, word) => Reflect.get(group, word), client) as Call; // the document has it
}
