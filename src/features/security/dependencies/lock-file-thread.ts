/** The thread that reads lock files, with a budget of processor time for each. */
import { currentPrincipal } from '#core/principal.ts'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { FairWorker } from '#lib/threads/fair-worker.ts'
import type { LockFileSource } from '#lib/lock-files/read-lock-file.ts'
import { WorkerOverrun } from '#lib/threads/worker-requests.ts'
import type { LockFileResponse } from './lock-file.worker.ts'

/** A file of 16 MiB takes about 1 s. */
const MAX_CPU_MS = 10_000
const MAX_WAITING = 64

const tooMany = (): Refusal =>
  new Refusal('unavailable', 'too many lock files are being read; try again in a moment', {
    reason: 'concurrency',
    headers: { 'retry-after': '5' },
  })

class LockFileThread {
  readonly #thread = new FairWorker<LockFileSource, LockFileResponse>({
    code: 'features/security/dependencies/lock-file.worker',
    name: 'the thread that reads lock files',
    maxCpuMs: MAX_CPU_MS,
    maxWaiting: MAX_WAITING,
    fullError: tooMany,
  })

  async read(source: LockFileSource, signal: AbortSignal): Promise<LockFileResponse> {
    const caller = currentPrincipal()?.id ?? 'forge'
    try {
      return await this.#thread.request(caller, source, signal)
    } catch (error) {
      if (error instanceof WorkerOverrun) return { fault: 'takes too long to read' }
      throw error
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

export const lockFileThread = service('reading of lock files', () => new LockFileThread(), {
  close: (thread) => thread.close(),
})
