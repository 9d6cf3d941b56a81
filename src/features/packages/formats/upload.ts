/** What formats share whose clients send a package before they say its name. */
import { localBlob, storeBlob, type DigestedBlob, type StoreBlobOptions } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../door/door-request.ts'
import { publishPackageVersion } from '../publish-package-version.ts'
import { listNamesOfType } from '../store-lists.ts'

/** No package has this name, so access to it is that to a new package. */
const NO_NAME = ' '

/**
 * Requires, before a body is read, that the caller may publish something here: a new package, or a
 * version of one that exists. Which one it is, only the body tells.
 */
export function requirePublisher(hearth: Hearth, door: DoorRequest): void {
  requireToken(door)
  try {
    door.authorize(publishPackageVersion, NO_NAME)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const facts = hearth.facts.workspace(door.workspace, door.caller)
    const names = facts === null ? [] : listNamesOfType(hearth.db, facts.id, door.type)
    if (!names.some((name) => mayPublish(door, name))) throw error
  }
}

function mayPublish(door: DoorRequest, name: string): boolean {
  try {
    door.authorize(publishPackageVersion, name)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** Asks strangers for a token. */
export function requireToken({ caller }: DoorRequest): void {
  if (caller.kind === 'anonymous')
    throw new Refusal('unauthenticated', 'sign in with a token as the password')
}

/** Stores what a client sends. Throws 413 for more than a package may have. */
export const storeUpload = (
  hearth: Hearth,
  door: DoorRequest,
  bytes: AsyncIterable<Uint8Array>,
  options: Pick<StoreBlobOptions, 'digests' | 'length' | 'ownsPieces'> = {},
): Promise<DigestedBlob> =>
  storeBlob(hearth, bytes, {
    maxBytes: hearth.settings.packages.max_file_bytes,
    signal: door.signal,
    ...options,
  })

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Stores a document that the server has in memory. */
export const storeBytes = (hearth: Hearth, bytes: Uint8Array): Promise<DigestedBlob> =>
  storeBlob(hearth, once(bytes), { maxBytes: bytes.length })

/** The file of a blob that was just stored. */
export async function uploadPath(hearth: Hearth, { sha256 }: DigestedBlob): Promise<string> {
  const path = await localBlob(hearth, sha256)
  if (path === null) throw new Refusal('unavailable', 'the file is missing on this installation')
  return path
}

export const noAddress = ({ method, rest }: DoorRequest): Refusal =>
  new Refusal('not_found', `${method} ${rest.slice(0, 200)} is not an address of this registry`)

export const textResponse = (
  text: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(text, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    },
  })

/** A number of a query within bounds. */
export function numberIn(text: string | null, usual: number, max: number): number {
  const value = Number(text ?? usual)
  return Number.isSafeInteger(value) && value >= 0 ? Math.min(value, max) : usual
}
