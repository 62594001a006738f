import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { api, type Context, defineModule, dto, HttpError, inject, route, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { AccessError, fuzzAccess } from "@tenon/fuzz";
import { Channels, events, liveModule, socket } from "@tenon/live";

type Hole = "stream" | "feed" | "socket" | "subscription" | "topic";

const Room = dto("Room", { id: string("required"), name: string("required") });
const RoomInput = Room.pick("name");
const sends = { renamed: Room } as const;
const as = { alice: { "x-user": "alice" }, bob: { "x-user": "bob" } };

/** Rooms that only their owners may listen to. */
function createRooms(hole: Hole | undefined) {
  return class RoomsController {
    readonly #channels = inject(Channels);
    readonly #rooms = new Map<string, { id: string; name: string; owner: string }>();

    /** Undefined for a room that does not exist, or is another user's. */
    #find(ctx: Context, id: string) {
      const room = this.#rooms.get(id);
      return room?.owner === ctx.header("x-user") ? room : undefined;
    }

    #check(ctx: Context, id: string, without: Hole): string {
      if (hole !== without && this.#find(ctx, id) === undefined) throw new HttpError(404, "Not Found");
      return id;
    }

    readonly create = route.post("/rooms", { body: RoomInput, returns: { 201: Room } }, (ctx, { body }) => {
      const room = { id: randomUUID(), name: body.name, owner: ctx.header("x-user") };
      this.#rooms.set(room.id, room);
      return room;
    });

    readonly rename = route.put(
      "/rooms/:id",
      { body: RoomInput, returns: Room, errors: { 404: "Not Found" } },
      async (ctx, { body }) => {
        const room = this.#find(ctx, ctx.param("id"));
        if (room === undefined) throw new HttpError(404, "Not Found");
        room.name = body.name;
        for (const topic of [room.id, `room:${room.id}`, `of ${room.owner}`, "all"]) {
          await this.#channels.publish(topic, "renamed", room);
        }
        return room;
      },
    );

    readonly stream = route.get(
      "/rooms/:id/events",
      events({ sends, errors: { 404: "Not Found" } }, (ctx, stream) =>
        this.#channels.subscribe(this.#check(ctx, ctx.param("id"), "stream"), stream),
      ),
    );

    readonly feed = route.get(
      "/feed",
      events({ sends }, (ctx, stream) =>
        this.#channels.subscribe(hole === "feed" ? "all" : `of ${ctx.header("x-user")}`, stream),
      ),
    );

    readonly byTopic = route.get(
      "/topics",
      events(
        { sends, query: dto({ topic: string("required") }), errors: { 404: "Not Found" } },
        (ctx, stream, { query }) => {
          this.#check(ctx, query.topic.replace(/^room:/, ""), "topic");
          return this.#channels.subscribe(query.topic, stream);
        },
      ),
    );

    readonly room = route.get(
      "/rooms/:id/socket",
      socket(
        { sends, receives: {}, errors: { 404: "Not Found" } },
        {
          open: async (ctx, live) => {
            await this.#channels.subscribe(this.#check(ctx, ctx.param("id"), "socket"), live);
          },
          on: {},
        },
      ),
    );

    readonly rooms = route.get(
      "/socket",
      socket(
        { sends, receives: { listen: dto({ room_id: string("required") }) } },
        {
          on: {
            listen: async (ctx, live, { room_id }) => {
              await this.#channels.subscribe(this.#check(ctx, room_id, "subscription"), live);
            },
          },
        },
      ),
    );

    routes() {
      return [this.create, this.rename, this.stream, this.feed, this.byTopic, this.room, this.rooms];
    }
  };
}

async function fuzz(hole?: Hole): Promise<string[]> {
  const module = defineModule({ name: "rooms", imports: [liveModule()], declarations: [createRooms(hole)] });
  const app = await createTestApp(module, api());
  try {
    await fuzzAccess(app, { as, seed: 7 });
    return [];
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return error.findings.map(({ kind, operation, place }) => `${kind} ${operation} ${place}`);
  } finally {
    await app.stop();
  }
}

test("streams and sockets that only owners may open have no findings", async () => {
  assert.deepEqual(await fuzz(), []);
});

const expected: readonly [hole: Hole, finding: string][] = [
  ["stream", "live rooms.stream :id"],
  ["feed", "live rooms.feed events"],
  ["topic", "live rooms.byTopic query topic"],
  ["socket", "live rooms.room :id"],
  ["subscription", "live rooms.rooms events"],
];

for (const [hole, finding] of expected) {
  test(`what is delivered to another user is found: ${hole}`, async () => {
    assert.deepEqual(await fuzz(hole), [finding]);
  });
}
