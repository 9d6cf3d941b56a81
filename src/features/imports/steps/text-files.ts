/**
 * Files that texts of the other forge name: fetched before the transaction, and stored in it as
 * attachments. A file that cannot be had keeps its link, and is counted.
 */
import { storeBlob } from '#core/blobs.ts'
import type { Tx } from '#core/write.ts'
import { attachmentImporters } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { ForgeError } from '../forges/forge-client.ts'
import type { ForeignFile, ForeignPerson } from '../forges/forge.ts'
import { personId } from '../people.ts'
import { plainText } from '../rewrite-text.ts'
import { addErrors } from '../store.ts'
import { addToStep, findItem, insertItem } from '../store-steps.ts'
import type { StepContext } from './context.ts'

/** How many first bytes say what a file is. */
const HEAD_BYTES = 32
const TRIES = 2

type Fetched = {
  readonly name: string
  readonly head: Uint8Array
  readonly sha256: string
  readonly size: number
}
/** A file whose bytes are here, that came before, or that cannot be had. */
export type ReadyFile =
  | { readonly file: ForeignFile; readonly fetched: Fetched }
  | { readonly file: ForeignFile; readonly id: string }
  | { readonly file: ForeignFile; readonly problem: string }

/** What names a file, whatever form its address has in a text. */
const keyOf = ({ urls, link }: ForeignFile): string => (urls[0] ?? link).slice(0, 1000)

/** Fetches what texts name, as far as it has not come before. */
export async function prepareFiles(
  context: StepContext,
  texts: readonly string[],
): Promise<ReadyFile[]> {
  const { hearth, forge, repo } = context
  const [importer] = attachmentImporters.all(hearth)
  if (!importer) return []
  const ready = new Map<string, ReadyFile>()
  for (const file of texts.flatMap((text) => forge.filesIn(plainText(text)))) {
    if (ready.has(file.link)) continue
    const id = findItem(hearth.db, repo.id, 'file', keyOf(file))
    const isHere = id !== null && importer.addressOf(hearth.db, repo, id) !== null
    ready.set(file.link, isHere ? { file, id } : await fetchFile(context, file))
  }
  return [...ready.values()]
}

/** Whether another attempt, or another address, may give the file. */
const isWorthRetry = (error: unknown): boolean =>
  (error instanceof ForgeError && (error.isTemporary || error.isMissing)) ||
  (error instanceof OutboundError && error.fault === 'timeout')

async function fetchFile(context: StepContext, file: ForeignFile): Promise<ReadyFile> {
  let problem = 'it has no address'
  for (const url of file.urls)
    for (let tries = 1; tries <= TRIES; tries++)
      try {
        return { file, fetched: await fetchFrom(context, file, url) }
      } catch (error) {
        context.signal.throwIfAborted()
        const isLimit = error instanceof ForgeError && error.isRateLimit
        const isExpected =
          error instanceof ForgeError || error instanceof OutboundError || error instanceof Refusal
        if (isLimit || !isExpected) throw error
        problem = error instanceof ForgeError ? `status ${error.status}` : error.message
        if (!isWorthRetry(error) || (error instanceof ForgeError && error.isMissing)) break
      }
  return { file, problem }
}

async function fetchFrom(
  { hearth, client, signal }: StepContext,
  file: ForeignFile,
  url: string,
): Promise<Fetched> {
  const { max_bytes } = hearth.settings.attachments
  const { body, headers } = await client.open(url, max_bytes)
  if (headers?.['content-type']?.startsWith('text/html'))
    throw new ForgeError('the answer is a page', 404)
  let head: Uint8Array = new Uint8Array()
  const pieces = async function* () {
    for await (const piece of body) {
      if (head.length < HEAD_BYTES)
        head = Uint8Array.from([...head, ...piece.subarray(0, HEAD_BYTES)])
      yield piece
    }
  }
  const blob = await storeBlob(hearth, pieces(), { maxBytes: max_bytes, signal })
  const name = file.name ?? nameOf(headers?.['content-disposition'] ?? '') ?? 'file'
  return { name, head: head.subarray(0, HEAD_BYTES), sha256: blob.sha256, size: blob.size }
}

/** The name in a header Content-Disposition (RFC 6266); null when it has none. */
function nameOf(disposition: string): string | null {
  const header = disposition.slice(0, 1000)
  const encoded = /filename\*=UTF-8''([^;\s]+)/i.exec(header)?.[1]
  const plain = /filename="([^"]+)"/i.exec(header)?.[1] ?? /filename=([^;\s]+)/i.exec(header)?.[1]
  try {
    return encoded === undefined ? (plain ?? null) : decodeURIComponent(encoded)
  } catch {
    return plain ?? null
  }
}

export type PlacedFiles = {
  /** The context whose texts name the files here. */
  readonly context: StepContext
  /** A text that was stored names its files, so whoever reads it sees them. */
  readonly use: (text_id: string, foreign: string) => void
}

/** Stores the files of texts that one person wrote. `what` names the record in messages. */
export function placeFiles(
  tx: Tx,
  context: StepContext,
  ready: readonly ReadyFile[],
  by: { readonly author: ForeignPerson | null; readonly created_ms: number; readonly what: string },
): PlacedFiles {
  const { hearth, row, repo } = context
  if (ready.length === 0) return { context, use: () => {} }
  const [importer] = attachmentImporters.all(hearth)
  const ids = new Map<string, string>()
  const files = new Map<string, string>()
  const problems: string[] = []
  for (const one of importer ? ready : []) {
    const placed = placeFile(tx, context, one, by)
    const address = 'id' in placed ? importer?.addressOf(tx.db, repo, placed.id) : null
    if ('id' in placed && address) {
      ids.set(one.file.link, placed.id)
      files.set(one.file.link, address)
    } else {
      const why = 'problem' in placed ? placed.problem : 'it is gone'
      problems.push(`${by.what}: ${one.file.link.slice(0, 200)} stays a link: ${why}`)
    }
  }
  addToStep(tx, row.id, 'attachments', { done: ids.size, total: ready.length })
  addErrors(tx, row.id, problems)
  return {
    context: { ...context, texts: { ...context.texts, files } },
    use: (text_id, foreign) => {
      for (const [link, id] of ids) if (foreign.includes(link)) importer?.use(tx, id, text_id)
    },
  }
}

function placeFile(
  tx: Tx,
  { hearth, repo, people }: StepContext,
  ready: ReadyFile,
  { author, created_ms }: { readonly author: ForeignPerson | null; readonly created_ms: number },
): { readonly id: string } | { readonly problem: string } {
  if (!('fetched' in ready)) return ready
  const { file, fetched } = ready
  // Another text of this batch may have named it.
  const there = findItem(tx.db, repo.id, 'file', keyOf(file))
  if (there !== null) return { id: there }
  const [importer] = attachmentImporters.all(hearth)
  if (!importer) return { problem: 'there are no attachments' }
  const uploader_id = personId(tx, people, author)
  const added = importer.add(tx, repo, { ...fetched, uploader_id, created_ms })
  if ('id' in added) insertItem(tx, repo.id, 'file', keyOf(file), added.id)
  return added
}
