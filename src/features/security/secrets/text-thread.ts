/** Asks the thread that looks for secrets in texts, with a budget of processor time. */
import { service } from '#core/service.ts'
import type { SecretRule } from '#lib/secrets/secret-rules.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import { WorkerOverrun, WorkerRequests } from '#lib/worker-requests.ts'

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
  readonly #thread = new WorkerRequests<TextRequest, TextSecret[][]>({
    code: 'features/security/secrets/texts.worker',
    name: 'the thread that looks for secrets in texts',
    endsWhenIdle: true,
  })
  // One at a time, because the budget counts from when a request is sent.
  readonly #turns = new FairSemaphore({ limit: 1, maxWaiting: MAX_WAITING, fullError: tooMany })

  /** The secrets of each text; null when they take too long. */
  async find(caller: string, request: TextRequest): Promise<readonly TextSecret[][] | null> {
    const release = await this.#turns.acquire({ caller })
    try {
      return await this.#thread.request(request, { maxCpuMs: MAX_CPU_MS })
    } catch (error) {
      if (error instanceof WorkerOverrun) return null
      throw error
    } finally {
      release()
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

export const textThread = service('secrets in texts', () => new TextThread(), {
  close: (thread) => thread.close(),
})
