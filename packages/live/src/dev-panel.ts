import { inject } from "@tenon/core";
import type { DevPanel, DevPanelSource, DevSection } from "@tenon/core/platform";
import { Channels } from "./channels/channels.ts";
import { LiveConnections } from "./connections.ts";

const reaches = {
  process: "subscribers in this process",
  workers: "the workers of this machine",
  instances: "all instances",
} as const;

/** What the developer tools show of channels and open connections. */
export class LivePanels implements DevPanelSource {
  readonly #channels = inject(Channels);
  readonly #connections = inject(LiveConnections);

  devPanels(): readonly DevPanel[] {
    return [{ id: "channels", title: "Channels", read: () => this.#read() }];
  }

  #read(): DevSection[] {
    const { streams, sockets, rejectedMessages, unsentMessages, slowClients, endedLeases } = this.#connections.stats();
    return [
      {
        heading: "Topics",
        note: `Events reach ${reaches[this.#channels.reach]}. Listed are the topics with subscribers in this process.`,
        columns: ["Topic", "Subscribers"],
        rows: this.#channels.topics().map(({ topic, subscribers }) => [{ text: topic, kind: "code" }, subscribers]),
      },
      {
        heading: "Connections",
        columns: ["What", "Count"],
        rows: [
          ["Open event streams", streams],
          ["Open WebSockets", sockets],
          ["Messages that were rejected", rejectedMessages],
          ["Messages that were not sent, because they do not match their schema", unsentMessages],
          ["Clients that read too slowly", slowClients],
          ["Connections whose session has ended", endedLeases],
        ],
      },
    ];
  }
}
