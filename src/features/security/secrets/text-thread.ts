/** Asks the thread that looks for secrets in texts, with a budget of processor time. */
import { service } from '#core/service.ts'
import { FairWorker } from '#lib/threads/fair-worker.ts'
import type { SecretRule } from '#lib/secrets/secret-rules.ts'
import { WorkerOverrun } from '#lib/threads/worker-requests.ts'

export type TextRequest = {
  readonly texts: readonly string[]
  readonly custom: readonly SecretRule[]
}

/** A secret in a text. `secret` stays in memory: it is never stored or logged. */
export type TextSecret = {
  readonly type: string
  readonly label: string
  readonly secret: string
  readonly line: number
}

/** Texts of 2 MiB take about 0.2 s. */
const MAX_CPU_MS = 10_000
/** Only jobs wait here, and their queue has a limit of its own. */
const MAX_WAITING = 1000

const tooMany = (): Error => new Error('too many texts wait to be looked through for secrets')

class TextThread {
  readonly #thread = new FairWorker<TextRequest, TextSecret[][]>({
    code: 'features/security/secrets/texts.worker',
    name: 'the thread that looks for secrets in texts',
    maxCpuMs: MAX_CPU_MS,
    maxWaiting: MAX_WAITING,
    fullError: tooMany,
  })

  /** The secrets of each text; null when they take too long. */
  async find(caller: string, request: TextRequest): Promise<readonly TextSecret[][] | null> {
    try {
      return await this.#thread.request(caller, request)
    } catch (error) {
      if (error instanceof WorkerOverrun) return null
      throw error
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

export const textThread = service('secrets in texts', () => new TextThread(), {
  close: (thread) => thread.close(),
})
