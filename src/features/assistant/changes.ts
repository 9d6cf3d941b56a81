/** Tells open pages that a question got on. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import type { Tx } from '#core/write.ts'

const changes = service('changes of questions', () => new EventTarget())

/** Tells it when the transaction is on disk. */
export const announceChange = (tx: Tx, id: string): void =>
  tx.afterCommit(() => void changes(tx.hearth).dispatchEvent(new Event(id)))

/** Resolves with the next change of a question, or when the signal is aborted. */
export const nextChange = (hearth: Hearth, id: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const target = changes(hearth)
    const done = (): void => {
      target.removeEventListener(id, done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    if (signal.aborted) return resolve()
    target.addEventListener(id, done)
    signal.addEventListener('abort', done)
  })
