/**
 * Questions about the documents of upstreams: rendered with the addresses of this forge and without
 * versions that are too young, or searched for a file. A thread answers them, because strangers
 * write these documents and some have many megabytes.
 */
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { FairWorker } from '#lib/threads/fair-worker.ts'
import { WorkerFailure } from '#lib/threads/worker-requests.ts'
import { UpstreamFailure } from './fetch.ts'
import type { UpstreamType } from './schema.ts'

export type DocumentQuestion = {
  readonly type: UpstreamType
  /** The file of the document. */
  readonly path: string
  /** The address of the document, against which addresses in it are resolved. */
  readonly url: string
  readonly name: string
  /** Where clients find the files of this package here. */
  readonly files: string
  /** Versions that were published later are left out; null for none. */
  readonly untilMs: number | null
  /** A kind of rendering, or `file` and its name. */
  readonly want: string
}

/** Where a file is, and its digests in hex digits. */
export type FoundFile = {
  readonly url: string
  readonly sha256?: string
  readonly sha512?: string
  readonly sha1?: string
}

export type DocumentAnswer =
  | { readonly kind: 'rendered'; readonly body: Uint8Array; readonly gzip: Uint8Array }
  | { readonly kind: 'found'; readonly file: FoundFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'fault'; readonly reason: string }

/** Much more than the largest packuments take. */
const MAX_CPU_MS = 15_000
/** One install of npm asks for some hundred documents at once. */
const MAX_WAITING = 4_000

const tooMany = (): Refusal =>
  new Refusal('unavailable', 'too many documents of upstreams are being read: try again later')

class DocumentThread {
  readonly #thread = new FairWorker<DocumentQuestion, DocumentAnswer>({
    code: 'features/packages/upstreams/documents.worker',
    name: 'the thread for documents of upstreams',
    maxCpuMs: MAX_CPU_MS,
    maxWaiting: MAX_WAITING,
    fullError: tooMany,
  })

  /** Null when the document does not have it. Throws UpstreamFailure for one that cannot be read. */
  async ask(
    workspace_id: string,
    question: DocumentQuestion,
  ): Promise<Exclude<DocumentAnswer, { kind: 'fault' | 'missing' }> | null> {
    try {
      const answer = await this.#thread.request(workspace_id, question)
      if (answer.kind === 'fault') throw unreadable(question, answer.reason)
      return answer.kind === 'missing' ? null : answer
    } catch (error) {
      if (error instanceof WorkerFailure) throw unreadable(question, 'it takes too long')
      throw error
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

const unreadable = ({ name }: DocumentQuestion, reason: string): UpstreamFailure =>
  new UpstreamFailure(`its document of ${name.slice(0, 100)} cannot be read: ${reason}`)

export const documentThread = service('documents of upstreams', () => new DocumentThread(), {
  close: (thread) => thread.close(),
})
