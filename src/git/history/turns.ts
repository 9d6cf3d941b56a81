/**
 * Work that pauses in between, so that others get their turn; whatever it is given when it goes on
 * means nothing to it.
 */
export type Turns<R> = Generator<'pause', R, unknown>

/** Runs such work to its end at once. */
export function finish<R>(work: Turns<R>): R {
  for (;;) {
    const step = work.next(undefined)
    if (step.done === true) return step.value
  }
}
