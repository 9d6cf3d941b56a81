/**
 * Reads workflow files in a thread, one after the other, each within a deadline. Owners, such as
 * repositories, take turns: one with many files that take long delays another by one file.
 */
import { FairSemaphore } from '#lib/semaphore.ts'
import { WorkerFailure, WorkerRequests } from '#lib/threads/worker-requests.ts'
import type { WorkflowReading } from './parse-workflow.ts'
import type { ActionReading } from './read-action.ts'

export type FileRequest = {
  readonly kind: 'workflow' | 'action'
  readonly text: string
  readonly path: string
}

/** The owner of files of a reader that serves one owner only. */
const NOBODY = ''

/** Real files take 2 to 15 ms, the first of a thread 100 ms; hostile ones take for ever. */
const READ_TIMEOUT_MS = 5_000

/** A forge keeps one as a service (`core/service.ts`); `close` ends its thread. */
export class WorkflowReader {
  readonly #thread = new WorkerRequests<FileRequest, WorkflowReading | ActionReading>({
    code: 'actions/actions.worker',
    name: 'the thread for workflow files',
  })
  readonly #turns = new FairSemaphore({
    limit: 1,
    // Jobs and pushes read one file after the other, so their number bounds the waiting files.
    maxWaiting: Infinity,
    fullError: () => new Error('too many workflow files wait to be read'),
  })

  /** The model of a file, or its problems: the first of the YAML, at most 10 of the schema. */
  read(text: string, path: string, owner = NOBODY): Promise<WorkflowReading> {
    // The thread answers a request with the reading of its kind.
    return this.#enqueue({ kind: 'workflow', text, path }, owner) as Promise<WorkflowReading>
  }

  /** The same for the `action.yml` of an action. */
  readAction(text: string, path: string, owner = NOBODY): Promise<ActionReading> {
    return this.#enqueue({ kind: 'action', text, path }, owner) as Promise<ActionReading>
  }

  /** Starts the thread and builds its schema, so that the first file does not wait for it. */
  async warm(): Promise<void> {
    await this.read('on: push\njobs: { a: { runs-on: x, steps: [{ run: x }] } }\n', 'warm.yml')
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #enqueue(request: FileRequest, owner: string): Promise<WorkflowReading | ActionReading> {
    const release = await this.#turns.acquire({ caller: owner })
    try {
      return await this.#readNow(request)
    } finally {
      release()
    }
  }

  async #readNow(request: FileRequest): Promise<WorkflowReading | ActionReading> {
    try {
      return await this.#thread.request(request, { timeoutMs: READ_TIMEOUT_MS })
    } catch (error) {
      if (!(error instanceof WorkerFailure)) throw error
      // The thread did not answer in time, or ran out of memory: it is replaced.
      const text = 'The file takes too long to read'
      const problems = [{ file: request.path, line: 1, column: 1, text }]
      return request.kind === 'action' ? { action: null, problems } : { workflow: null, problems }
    }
  }
}
