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

  /** Frees what was made, after it was delivered: buffered events would keep it. */
  forget(): void {
    this.#made.clear();
  }

  once<T>(key: object, make: (event: LiveEvent) => T): T {
    const made = this.#made.get(key);
    if (made !== undefined || this.#made.has(key)) return made as T; // what `make` of this key has returned
    const value = make(this);
    this.#made.set(key, value);
    return value;
  }
}
