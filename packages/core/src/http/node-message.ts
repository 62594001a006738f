import type { Socket } from "node:net";
import type { BodyReader } from "../body/body-reader.ts";
import { HttpError } from "../errors.ts";
import { IncomingMessage, ServerResponse } from "./builtin.ts";
import type { RequestHead } from "./inspect.ts";

/** A request whose body goes from the parser straight to its reader: as a stream, a small one costs a tenth more. */
export class NodeRequest extends IncomingMessage implements RequestHead {
  declare readonly method: string; // node sets both on every request of a server
  declare readonly url: string;
  #reader: BodyReader | undefined;

  /** Passes on the bytes that have arrived and those that follow. */
  readInto(reader: BodyReader): void {
    this.#reader = reader;
    // these arrived before the handler read the body
    for (let wanted = true; wanted && this.readableLength > 0; ) wanted = reader.push(this.read());
    if (this.complete) reader.end();
  }

  /** Called by the parser. Bytes that the reader refuses stay in the stream, which pauses the socket when it is full. */
  override push(chunk: Uint8Array | null): boolean {
    const reader = this.#reader;
    if (reader === undefined || reader.settled) return super.push(chunk);
    if (chunk === null) reader.end();
    else if (reader.push(chunk)) return true;
    return super.push(chunk);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (this.#reader?.settled === false) this.#reader.fail(new HttpError(400, "Bad Request")); // the body was cut off
    super._destroy(error, callback);
  }
}

/** Private members of node:http on a response and on its socket. They are not in its types. */
interface PrivateMembers {
  socket: Socket | null;
  destroyed: boolean;
  _closed: boolean;
  _flush(): void;
  emit(event: string): boolean;
}
interface Carrier {
  _httpMessage: PrivateMembers | null | undefined;
}

/**
 * A response that adds no listener to its socket: node:http adds and removes one for each response, which costs a small
 * one measurably. The owner of the connection calls `closeResponse` when the socket closes.
 */
export class NodeResponse extends ServerResponse<NodeRequest> {
  override assignSocket(socket: Socket): void {
    const members = privateMembersOf(this);
    carrierOf(socket)._httpMessage = members;
    members.socket = socket;
    this.emit("socket", socket);
    members._flush();
  }

  override detachSocket(socket: Socket): void {
    carrierOf(socket)._httpMessage = null;
    privateMembersOf(this).socket = null;
  }
}

/** The connection has closed: closes the response that it carried, if there is one. */
export function closeResponse(socket: Socket): void {
  const response = carrierOf(socket)._httpMessage;
  if (response?._closed !== false) return;
  response.destroyed = true;
  response._closed = true;
  response.emit("close");
}

function privateMembersOf(response: NodeResponse): PrivateMembers {
  return response as unknown as PrivateMembers; // every response of node:http has them
}

function carrierOf(socket: Socket): Carrier {
  return socket as unknown as Carrier; // every socket of node:http has it after the first response
}
