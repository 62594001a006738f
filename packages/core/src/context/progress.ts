/** How far a long piece of work has come. */
export interface Progress {
  /** So many steps more are done: one unless told otherwise. */
  advance(by?: number): void;
  /** Nothing more will come. */
  done(): void;
}

export const silentProgress: Progress = Object.freeze({ advance() {}, done() {} });
