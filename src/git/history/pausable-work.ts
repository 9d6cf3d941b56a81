/** Long work that pauses, so that a thread can alternate between several. */
export type PausableWork<R> = Generator<'pause', R, unknown>

/** Runs such work to its end without a pause. */
export function runToEnd<R>(work: PausableWork<R>): R {
  for (;;) {
    const step = work.next(undefined)
    if (step.done === true) return step.value
  }
}
