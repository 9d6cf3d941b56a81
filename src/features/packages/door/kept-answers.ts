/**
 * Answers to reads that hold until the next commit (`core/commit-cache.ts`). An installation asks
 * for the same packages hundreds of times. Finding the caller, the rights and the rows takes five
 * times as long as sending what was found.
 */
import { commitCache } from '#core/commit-cache.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import type { KeptAnswer } from './door-request.ts'

const MAX_KEPT_BYTES = 16 * 1024 ** 2
/** Of the key and what the answer refers to. */
const ENTRY_BYTES = 2000
const MAX_KEY_LENGTH = 2000

export const keptAnswers = commitCache<KeptAnswer>('package-answers', {
  maxSize: MAX_KEPT_BYTES,
  sizeOf: ({ bytes }) => bytes + ENTRY_BYTES,
})

/** What requests with the same answer have in common; null for one whose answer is not kept. */
export function keyOfAnswer({ request, path, query }: ProtocolRequest): string | null {
  const { method, headers } = request
  if (method !== 'GET' && method !== 'HEAD') return null
  const credentials = `${headers.get('authorization') ?? ''}\n${headers.get('x-nuget-apikey') ?? ''}`
  const key = `${credentials}\n${headers.get('accept') ?? ''}\n${path}?${query}`
  return key.length > MAX_KEY_LENGTH ? null : key
}
