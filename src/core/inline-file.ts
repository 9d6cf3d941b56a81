/** Files in tool calls, which can only send text. */
import { invalid, Refusal } from '#lib/errors.ts'
import type { IncomingBytes } from './operation.ts'
import { Type } from './schema.ts'

const MIB = 1024 ** 2
const MAX_INLINE_BYTES = 8 * MIB
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The input with the bytes of a file. REST sends them as the body. */
export const InlineFile = Type.String({
  maxLength: Math.ceil((MAX_INLINE_BYTES * 4) / 3) + 4,
  description: 'The bytes in base64, at most 8 MiB of them.',
  'x-tool-only': true,
})

/** The limit of the body of a call with such an input. */
export const INLINE_FILE_BODY_LIMIT = 12 * MIB

async function* streamOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The uploaded file: the body of the request, or else the decoded input. Throws 413 and 422. */
export function incomingFile(data: string | undefined, bytes: IncomingBytes | null): IncomingBytes {
  if (data === undefined) {
    if (bytes === null) throw invalid('data', 'data is required: the bytes in base64')
    return bytes
  }
  if (!BASE64.test(data)) throw invalid('data', 'data must be base64')
  const decoded = Buffer.from(data, 'base64')
  if (decoded.length > MAX_INLINE_BYTES)
    throw new Refusal(
      'too_large',
      `data holds more than ${MAX_INLINE_BYTES / MIB} MiB: send larger files over REST`,
      { field: 'data' },
    )
  return { stream: streamOnce(decoded), type: null, length: decoded.length }
}
