/**
 * Reads the documents in which packages describe themselves (`Cargo.toml`, the specification of a
 * gem, `pom.xml`, `.nuspec`) in a thread, each within a budget of processor time.
 */
import { currentPrincipal } from '#core/principal.ts'
import { service } from '#core/service.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { FairWorker } from '#lib/threads/fair-worker.ts'
import { WorkerFailure } from '#lib/threads/worker-requests.ts'
import type { XmlElement } from '#lib/xml.ts'

export type DocumentRequest = { readonly kind: 'toml' | 'yaml' | 'xml'; readonly text: string }
export type DocumentReading = { readonly value: unknown } | { readonly fault: string }

/** The specification of the largest gems has 300 KiB. */
export const MAX_DOCUMENT_BYTES = 1024 ** 2
/** 1 MiB takes 0.3 s. */
const MAX_CPU_MS = 3_000
const MAX_WAITING = 256

const tooMany = (): Refusal =>
  new Refusal('unavailable', 'too many packages are being read; try again in a moment', {
    reason: 'concurrency',
    headers: { 'retry-after': '5' },
  })

export class DocumentReader {
  readonly #thread = new FairWorker<DocumentRequest, DocumentReading>({
    code: 'features/packages/formats/documents.worker',
    name: 'the thread for documents of packages',
    maxCpuMs: MAX_CPU_MS,
    maxWaiting: MAX_WAITING,
    fullError: tooMany,
  })

  /** The value of a document. Throws 422 for one that cannot be read; `name` names it. */
  async read(kind: DocumentRequest['kind'], text: string, name: string): Promise<unknown> {
    const fault = (reason: string): Refusal => invalid('body', `${name} cannot be read: ${reason}`)
    if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) throw fault('it is larger than 1 MiB')
    try {
      const caller = currentPrincipal()?.id ?? 'forge'
      const result = await this.#thread.request(caller, { kind, text })
      if ('fault' in result) throw fault(result.fault)
      return result.value
    } catch (error) {
      if (!(error instanceof WorkerFailure)) throw error
      throw fault('it takes too long')
    }
  }

  readXml(text: string, name: string): Promise<XmlElement> {
    // The thread answers a request for XML with the root.
    return this.read('xml', text, name) as Promise<XmlElement>
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

export const documentReader = service('documents of packages', () => new DocumentReader(), {
  close: (reader) => reader.close(),
})
