/**
 * Lists as downloads: one JSON object a line (https://jsonlines.org). Records are read while they
 * are sent, so a log of any length takes no more memory than one chunk of it.
 */
import type { Operation } from '#core/operation.ts'
import { Refusal } from '#lib/errors.ts'
import type { Exchange } from '../exchange.ts'
import { queryPairs } from '../query.ts'
import { streamOfUnknownLength } from '../responses.ts'
import { type Renames, renamed } from '../shape.ts'
import { acceptsType, streamHeaders } from './streams.ts'

const MEDIA_TYPE = 'application/x-ndjson'
const acceptsJsonLines = acceptsType(MEDIA_TYPE)

/**
 * Whether JSON lines are requested, by `?format=jsonl` or the `Accept` header. Throws 422 for
 * another format.
 */
export function requestsJsonLines({
  query,
  request,
}: Pick<Exchange, 'query' | 'request'>): boolean {
  const format = [...queryPairs(query)].findLast(([name]) => name === 'format')?.[1]
  if (format === undefined) return acceptsJsonLines({ request })
  if (format === 'json') return false
  if (format !== 'jsonl')
    throw new Refusal('invalid', 'format is json or jsonl', { field: 'format' })
  return true
}

/** Large enough for a reader on a fast line. */
const CHUNK_CHARACTERS = 64 * 1024

export function jsonLinesResponse(
  exchange: Exchange,
  { name }: Operation,
  records: Iterable<unknown>,
  renames: Renames | null,
): Response {
  const headers = streamHeaders(exchange, MEDIA_TYPE)
  headers.set(
    'content-disposition',
    `attachment; filename="${name.replace(/^(list|get)_/, '').replaceAll('_', '-')}.jsonl"`,
  )
  if (exchange.isHead) return new Response(streamOfUnknownLength(), { headers })
  const remaining = records[Symbol.iterator]()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      let text = ''
      while (text.length < CHUNK_CHARACTERS) {
        const { done, value } = remaining.next()
        if (done) {
          if (text !== '') controller.enqueue(encoder.encode(text))
          controller.close()
          return
        }
        text += `${JSON.stringify(renamed(renames, value))}\n`
      }
      controller.enqueue(encoder.encode(text))
    },
    cancel: () => void remaining.return?.(),
  })
  return new Response(body, { headers })
}
