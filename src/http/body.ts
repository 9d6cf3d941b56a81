/**
 * Reading what a request carries, with a limit that is held against what is announced and against
 * what comes.
 */
import type { IncomingBytes } from '#core/operation.ts'
import { Refusal } from '#lib/errors.ts'
import { passing } from '#lib/pieces.ts'

export const KIB = 1024
export const MIB = 1024 * KIB

/** Bodies of operations that set no limit of their own. */
export const USUAL_LIMIT = MIB

/** Objects and arrays inside one another; deeper input is no request of a sane client. */
const DEEPEST = 64

const tooLarge = (limit: number) =>
  new Refusal(
    'too_large',
    `the body is larger than the ${Math.floor(limit / KIB)} KiB that this takes`,
    { details: { limit }, headers: { connection: 'close' } },
  )

/** The bytes of a body, empty without one. Gives 413 over the limit, before or while reading. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const announced = request.headers.get('content-length')
  if (announced !== null) {
    if (Number(announced) > limit) throw tooLarge(limit)
    const bytes = await request.bytes()
    if (bytes.length > limit) throw tooLarge(limit)
    return bytes
  }
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body) {
    size += part.length
    // Leaving the loop ends the stream, so the rest is never held.
    if (size > limit) throw tooLarge(limit)
    parts.push(part)
  }
  return Buffer.concat(parts, size)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/**
 * The JSON object that a request carries, `{}` for an empty body. Gives 415 for another type, 400
 * for what is not JSON and 422 for JSON that is no object or nested too deeply.
 */
export async function readJsonObject(
  request: Request,
  limit: number,
): Promise<Record<string, unknown>> {
  if (request.body === null || request.headers.get('content-length') === '0') return {}
  const type = request.headers.get('content-type')
  if (type !== null && !JSON_TYPE.test(type)) {
    throw new Refusal(
      'unsupported_media_type',
      `the body must be application/json, not ${type.slice(0, 100)}`,
    )
  }
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    throw new Refusal('unsupported_media_type', 'compressed bodies are not taken here')
  const bytes = await readBody(request, limit)
  if (bytes.length === 0) return {}
  const value = parseJson(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal('invalid', 'the body must be a JSON object')
  return value as Record<string, unknown>
}

/**
 * Any JSON value from bytes. Gives 400 for what is not UTF-8 or not JSON, 422 for what is nested
 * too deeply.
 */
export function parseJson(bytes: Uint8Array): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch (error) {
    throw new Refusal(
      'bad_request',
      error instanceof TypeError ? 'the body is not valid UTF-8' : 'the body is not valid JSON',
    )
  }
  // What is shorter cannot hold that many brackets.
  if (bytes.length > DEEPEST && !isShallow(value))
    throw new Refusal('invalid', `the body is nested more than ${DEEPEST} deep`)
  return value
}

/** Without recursion, because what is checked could exhaust the stack. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return false
    const below: unknown[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const inner of Object.values(item))
        if (typeof inner === 'object' && inner !== null) below.push(inner)
    }
    level = below
  }
  return true
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * A body that is a file of any type, not yet read. Gives 415 for a compressed one: what is kept is
 * what was meant.
 */
export function incomingBytes(request: Request): IncomingBytes {
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    throw new Refusal(
      'unsupported_media_type',
      'a file is taken as it is, without a content-encoding',
    )
  const length = request.headers.get('content-length')
  return {
    stream: request.body === null ? nothing() : passing(request.body),
    type: request.headers.get('content-type'),
    length: length === null ? (request.body === null ? 0 : null) : Number(length),
  }
}
