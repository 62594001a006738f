import type { Socket } from "node:net";
import { ServerResponse } from "./builtin.ts";
import type { NodeRequest } from "./node-request.ts";

/** What node:http keeps for itself, on a reply and on the socket that carries it: not in its types. */
interface OwnParts {
  socket: Socket | null;
  destroyed: boolean;
  _closed: boolean;
  _flush(): void;
  emit(event: string): boolean;
}
interface Carrier {
  _httpMessage: OwnParts | null | undefined;
}

/**
 * A reply that leaves the listeners of its socket alone: node adds one with each reply and takes it away again,
 * which a small one feels. Whoever opens a connection hears of its end, and calls `closeReply`.
 */
export class NodeResponse extends ServerResponse<NodeRequest> {
  override assignSocket(socket: Socket): void {
    const own = ownPartsOf(this);
    carrierOf(socket)._httpMessage = own;
    own.socket = socket;
    this.emit("socket", socket);
    own._flush();
  }

  override detachSocket(socket: Socket): void {
    carrierOf(socket)._httpMessage = null;
    ownPartsOf(this).socket = null;
  }
}

/** The connection is gone, and so is the reply that it carried, if there is one. */
export function closeReply(socket: Socket): void {
  const reply = carrierOf(socket)._httpMessage;
  if (reply?._closed !== false) return;
  reply.destroyed = true;
  reply._closed = true;
  reply.emit("close");
}

function ownPartsOf(response: NodeResponse): OwnParts {
  return response as unknown as OwnParts; // every reply of node:http has them
}

function carrierOf(socket: Socket): Carrier {
  return socket as unknown as Carrier; // every socket of a server of node:http has it, once there was a reply
}
