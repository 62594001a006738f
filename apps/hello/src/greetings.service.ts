import { inject, Log } from "@tenon/core";

export class GreetingsService {
  readonly #log = inject(Log);
  readonly #greetings = new Map([
    ["en", "Hello"],
    ["de", "Hallo"],
    ["fr", "Bonjour"],
  ]);

  onStart() {
    this.#log.info({ languages: this.#greetings.size }, "greetings ready");
  }

  languages(): string[] {
    return [...this.#greetings.keys()];
  }

  greet(language: string, name: string): string | undefined {
    const greeting = this.#greetings.get(language);
    return greeting === undefined ? undefined : `${greeting}, ${name}!`;
  }

  learn(language: string, greeting: string): void {
    this.#greetings.set(language, greeting);
  }
}
