/** Work in steps: a generator that pauses after every few milliseconds. */
import { nextTurn } from './waiting.ts'

export type Steps<T> = Generator<void, T, void>

/** The result of all steps, without a pause. */
export function finishNow<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The result of all steps, each in a turn of the event loop, so that other events come through. */
export async function finishInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn()
  }
}
