/**
 * Copies large files from and to another server, as a client of the batch API
 * (https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md). Used by imports and mirrors:
 * files travel before the refs that name them.
 */
import { isObject } from '#lib/json-value.ts'
import { localBlob, storeBlob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { outboundClient } from '#core/outbound.ts'
import { writeAs } from '#core/write.ts'
import {
  basicCredentials,
  requireRepo,
  type CopiedFiles,
  type CopySource,
  type LargeFileCopier,
  type RepoRow,
} from '#features/repos/index.ts'
import { findQuotaProblem } from '#features/workspaces/index.ts'
import { Refusal } from '#lib/errors.ts'
import { parseJsonOrNone } from '#lib/parse-json.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import type { StreamedResponse } from '#lib/outbound/outbound-stream.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { familyOf } from './family.ts'
import { findObject, insertObject } from './store-objects.ts'

const JSON_TYPE = 'application/vnd.git-lfs+json'
const OBJECTS_PER_BATCH = 100
const MAX_BATCH_BYTES = 8 << 20
const JSON_LIMITS = { maxDepth: 64, maxValues: 20_000 }
const MAX_REDIRECTS = 5
const MAX_PROBLEMS = 20
/** Beyond it, further files of a history are not looked for. */
const SEARCH_LIMITS = { commits: 200_000, pointers: 100_000 }
const BATCH_TIMEOUT_MS = 2 * MINUTE
const FILE_TIMEOUT_MS = 6 * HOUR
const IDLE_TIMEOUT_MS = 2 * MINUTE

type File = { readonly oid: string; readonly size: number; readonly path: string }
type Action = { readonly href: string; readonly header: Readonly<Record<string, string>> }
type Offer = {
  readonly file: File
  readonly actions: Readonly<Record<string, Action>>
  readonly error: string | null
}

function actionOf(value: unknown): Action | null {
  if (!isObject(value) || typeof value.href !== 'string') return null
  const header = Object.entries(isObject(value.header) ? value.header : {}).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && /^[\w-]{1,100}$/.test(entry[0]) && entry[1].length < 10_000,
  )
  return { href: value.href, header: Object.fromEntries(header) }
}

/** Null for what is no JSON, or more than an answer has. */
function parsedAnswer(bytes: Uint8Array): unknown {
  return parseJsonOrNone(bytes, JSON_LIMITS) ?? null
}

/** One conversation about large files with another server. */
class RemoteFiles {
  constructor(
    private readonly hearth: Hearth,
    private readonly source: CopySource,
  ) {}

  /** Where to ask, and with what. Null when a server that is reached over SSH has no large files. */
  async #place(operation: 'download' | 'upload'): Promise<Action | null> {
    const { url, secret, askLfsAccess } = this.source
    if (askLfsAccess) return actionOf(await askLfsAccess(operation))
    return {
      href: `${url.endsWith('.git') ? url : `${url}.git`}/info/lfs`,
      header: secret === null ? {} : { authorization: basicCredentials(secret) },
    }
  }

  /**
   * Asks what to do with these files; null when the server does not offer this. Throws
   * OutboundError when it fails for a while.
   */
  async batch(operation: 'download' | 'upload', files: readonly File[]): Promise<Offer[] | null> {
    const place = await this.#place(operation)
    if (place === null) return null
    const { authorization = null, ...headers } = lowerCase(place.header)
    const response = await this.#send(`${place.href}/objects/batch`, {
      method: 'POST',
      headers: { ...headers, accept: JSON_TYPE, 'content-type': JSON_TYPE },
      body: new TextEncoder().encode(
        JSON.stringify({
          operation,
          transfers: ['basic'],
          objects: files.map(({ oid, size }) => ({ oid, size })),
          hash_algo: 'sha256',
        }),
      ),
      authorization,
      maxBytes: MAX_BATCH_BYTES,
      timeoutMs: BATCH_TIMEOUT_MS,
    })
    if (response.status !== 200) {
      await response.body.cancel()
      if (response.status === 429 || response.status >= 500)
        throw new OutboundError(`large files cannot be copied now (status ${response.status})`)
      return null
    }
    const answer = parsedAnswer(await new Response(response.body).bytes())
    const objects = isObject(answer) && Array.isArray(answer.objects) ? answer.objects : []
    const byOid = new Map(objects.filter(isObject).map((one) => [one.oid, one]))
    return files.map((file) => {
      const found = byOid.get(file.oid)
      const error = found === undefined ? 'the other side says nothing of it' : null
      const given = isObject(found?.actions) ? found.actions : {}
      const actions = Object.fromEntries(
        Object.entries(given).flatMap(([name, value]) => {
          const action = actionOf(value)
          return action ? [[name, action]] : []
        }),
      )
      const problem = isObject(found?.error) ? String(found.error.message ?? 'it is missing') : null
      return { file, actions, error: error ?? problem }
    })
  }

  async download({ href, header }: Action, size: number): Promise<StreamedResponse> {
    const { authorization = null, ...headers } = lowerCase(header)
    return await this.#send(href, { headers, authorization, maxBytes: size, redirects: true })
  }

  async upload({ href, header }: Action, body: ReadableStream<Uint8Array>, size: number) {
    const { authorization = null, ...headers } = lowerCase(header)
    return await this.#send(href, {
      method: 'PUT',
      headers: {
        'content-type': 'application/octet-stream',
        ...headers,
        'content-length': String(size),
      },
      authorization,
      body,
      maxBytes: MAX_BATCH_BYTES,
    })
  }

  async verify({ href, header }: Action, { oid, size }: File): Promise<StreamedResponse> {
    const { authorization = null, ...headers } = lowerCase(header)
    return await this.#send(href, {
      method: 'POST',
      headers: { accept: JSON_TYPE, 'content-type': JSON_TYPE, ...headers },
      authorization,
      body: new TextEncoder().encode(JSON.stringify({ oid, size })),
      maxBytes: MAX_BATCH_BYTES,
    })
  }

  #send(
    href: string,
    request: {
      readonly method?: string
      readonly headers: Readonly<Record<string, string>>
      readonly authorization: string | null
      readonly body?: Uint8Array | ReadableStream<Uint8Array>
      readonly maxBytes: number
      readonly timeoutMs?: number
      readonly redirects?: boolean
    },
  ): Promise<StreamedResponse> {
    const { redirects = false, timeoutMs = FILE_TIMEOUT_MS, ...rest } = request
    const url = URL.parse(href)
    if (!url) throw new OutboundError('the other side named an address that is none')
    return outboundClient(this.hearth).open(url, {
      ...rest,
      ...(redirects ? { redirects: MAX_REDIRECTS } : {}),
      allowHttp: request.authorization === null,
      timeoutMs,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      signal: this.source.signal,
    })
  }
}

const lowerCase = (header: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(header).map(([name, value]) => [name.toLowerCase(), value]))

type Commits = Parameters<LargeFileCopier['download']>[3]

/** The files that commits name, each once, and whether all commits were searched. */
async function namedFiles(
  hearth: Hearth,
  row: RepoRow,
  { tips, hide }: Commits,
): Promise<{ files: File[]; complete: boolean }> {
  if (tips.length === 0) return { files: [], complete: true }
  const { pointers, complete } = await hearth.git.findAddedPointers(row.store, {
    tips: [...tips],
    hide: [...hide],
    limits: SEARCH_LIMITS,
  })
  const files = new Map(pointers.map(({ oid, size, path }) => [oid, { oid, size, path }]))
  return { files: [...files.values()], complete }
}

/** Adds up what was copied, and what was not. */
class Tally {
  files = 0
  bytes = 0
  unsupported = false
  #left = 0
  readonly #problems: string[] = []

  copied(size: number): void {
    this.files++
    this.bytes += size
  }

  left({ path, oid }: File, why: string): void {
    this.#left++
    if (this.#problems.length < MAX_PROBLEMS)
      this.#problems.push(
        `the large file ${path.slice(0, 100)} (${oid.slice(0, 12)}) was left out: ${why}`,
      )
  }

  result(complete: boolean): CopiedFiles {
    const more = this.#left - this.#problems.length
    return {
      files: this.files,
      bytes: this.bytes,
      unsupported: this.unsupported,
      problems: [
        ...this.#problems,
        ...(more > 0 ? [`${more} more large files were left out`] : []),
        ...(complete ? [] : ['the history is too long to look for all of its large files']),
      ],
    }
  }
}

/** Runs batch after batch. Each file of a batch is handled alone; a lost connection ends it all. */
async function inBatches(
  remote: RemoteFiles,
  operation: 'download' | 'upload',
  files: readonly File[],
  tally: Tally,
  handle: (offer: Offer) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < files.length; at += OBJECTS_PER_BATCH) {
    const part = files.slice(at, at + OBJECTS_PER_BATCH)
    const offers = await remote.batch(operation, part)
    if (offers === null) {
      tally.unsupported = true
      for (const file of part) tally.left(file, 'the other side does not offer large files')
    } else
      for (const offer of offers)
        if (offer.error !== null) tally.left(offer.file, offer.error.slice(0, 200))
        else await handle(offer)
  }
}

async function downloadFile(
  hearth: Hearth,
  row: RepoRow,
  source: CopySource,
  remote: RemoteFiles,
  { file, actions: { download } }: Offer,
): Promise<string | null> {
  if (!download) return 'the other side offers no download'
  const tooMuch = sizeProblem(hearth, row, file)
  if (tooMuch !== null) return tooMuch
  const response = await remote.download(download, file.size)
  if (response.status !== 200) {
    await response.body.cancel()
    if (response.status >= 500)
      throw new OutboundError(`a large file cannot be read (status ${response.status})`)
    return `the other side answers with status ${response.status}`
  }
  return await storeFile(hearth, row, source, file, response.body)
}

const sizeProblem = (hearth: Hearth, row: RepoRow, { size }: File): string | null =>
  size > hearth.settings.lfs.max_bytes
    ? `it has more than ${hearth.settings.lfs.max_bytes} bytes`
    : findQuotaProblem(hearth, row.workspace_id, 'lfs_bytes', size)

/** Takes a file from this machine. */
async function takeFile(
  hearth: Hearth,
  row: RepoRow,
  source: CopySource,
  file: File,
): Promise<string | null> {
  const tooMuch = sizeProblem(hearth, row, file)
  if (tooMuch !== null) return tooMuch
  const body = source.openFile?.(file.oid) ?? null
  return body === null ? 'it is missing' : await storeFile(hearth, row, source, file, body)
}

/** Stores the bytes of a file, when they have its digest. */
async function storeFile(
  hearth: Hearth,
  row: RepoRow,
  source: CopySource,
  file: File,
  body: ReadableStream<Uint8Array>,
): Promise<string | null> {
  try {
    await storeBlob(hearth, body, {
      maxBytes: file.size,
      length: file.size,
      sha256: file.oid,
      signal: source.signal,
    })
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
  await writeAs(hearth, null, (tx) => {
    if (requireRepo(tx.db, row.id).deleted_at !== null) return
    insertObject(tx, {
      repo_id: familyOf(row),
      oid: file.oid,
      size_in_bytes: file.size,
      uploader_id: source.actor_id,
    })
  })
  return null
}

async function uploadFile(
  hearth: Hearth,
  remote: RemoteFiles,
  { file, actions: { upload, verify } }: Offer,
): Promise<string | null> {
  // No action means that the other side has the file.
  if (!upload) return null
  const path = await localBlob(hearth, file.oid)
  if (path === null) return 'it is missing here'
  const response = await remote.upload(upload, Bun.file(path).stream(), file.size)
  await response.body.cancel()
  if (response.status >= 300) return `the other side refuses it with status ${response.status}`
  if (!verify) return null
  const checked = await remote.verify(verify, file)
  await checked.body.cancel()
  return checked.status >= 300 ? `the other side cannot verify it (${checked.status})` : null
}

export const largeFileCopier: LargeFileCopier = {
  async download(hearth, row, source, commits) {
    const { files, complete } = await namedFiles(hearth, row, commits)
    const family = familyOf(row)
    const missing = files.filter(({ oid }) => findObject(hearth.db, family, oid) === null)
    const tally = new Tally()
    if (source.openFile) {
      for (const file of missing) {
        const problem = await takeFile(hearth, row, source, file)
        if (problem === null) tally.copied(file.size)
        else tally.left(file, problem)
      }
      return tally.result(complete)
    }
    const remote = new RemoteFiles(hearth, source)
    await inBatches(remote, 'download', missing, tally, async (offer) => {
      const problem = await downloadFile(hearth, row, source, remote, offer)
      if (problem === null) tally.copied(offer.file.size)
      else tally.left(offer.file, problem)
    })
    return tally.result(complete)
  },

  async upload(hearth, row, source, commits) {
    const { files, complete } = await namedFiles(hearth, row, commits)
    const family = familyOf(row)
    const present = files.filter(({ oid }) => findObject(hearth.db, family, oid) !== null)
    const tally = new Tally()
    const remote = new RemoteFiles(hearth, source)
    await inBatches(remote, 'upload', present, tally, async (offer) => {
      const problem = await uploadFile(hearth, remote, offer)
      if (problem !== null) tally.left(offer.file, problem)
      else if (offer.actions.upload) tally.copied(offer.file.size)
    })
    return tally.result(complete)
  },
}
