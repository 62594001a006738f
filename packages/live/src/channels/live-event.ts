import { formatPosition, type Position } from "./position.ts";

/** An event of a topic, as every subscriber gets it. */
export class LiveEvent {
  readonly topic: string;
  readonly name: string;
  /** JSON. */
  readonly text: string;
  readonly position: Position;
  readonly id: string;
  /** What live routes have made of it: the same for all of their connections. */
  readonly #made = new Map<object, unknown>();

  constructor(topic: string, name: string, text: string, position: Position) {
    this.topic = topic;
    this.name = name;
    this.text = text;
    this.position = position;
    this.id = formatPosition(position);
  }

  /** A copy of its own for each caller. */
  get data(): unknown {
    return JSON.parse(this.text);
  }

  /** Calls `make` once for each key. */
  once<T>(key: object, make: (event: LiveEvent) => T): T {
    if (!this.#made.has(key)) this.#made.set(key, make(this));
    return this.#made.get(key) as T; // what `make` of this key has returned
  }
}
