/**
 * The REST routes: every operation that has a route, under `/api/v1` and `/api` alike. A handler
 * folds path, query and body into the flat input of the operation, calls it, and renders the output
 * with status, list headers and validators.
 */

import { decide } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { bodyHash } from '#core/idempotency.ts'
import { openStream } from '#core/open-streams.ts'
import {
  type CallOptions,
  call,
  callFollow,
  callText,
  callLines,
  type IncomingBytes,
} from '#core/operation.ts'
import type { ListOf } from '#core/schema.ts'
import { invalid, Moved, notFound, Refusal } from '#lib/errors.ts'
import { MINUTE } from '#lib/time.ts'
import { callerOf } from '../authenticate.ts'
import { DEFAULT_MAX_BODY_BYTES, KIB, mediaTypeOf, MIB, tooLargeRefusal } from '../body.ts'
import { type CommitCache, commitCache, isCacheable } from '#core/commit-cache.ts'
import { CompressedText, compressedResponse } from '../compression.ts'
import { etagOf, matches } from '../etag.ts'
import type { Exchange, HttpRoute, RequestHandler } from '../exchange.ts'
import { allowHeader, jsonHeaders, methodNotAllowed, preflightResponse } from '../responses.ts'
import { inSnakeCase, put, renamed } from '../shape.ts'
import { eventStreamResponse, requestsEventStream } from './event-stream.ts'
import { jsonLinesResponse, requestsJsonLines } from './json-lines.ts'
import { plainTextResponse, requestsPlainText } from './plain-text.ts'
import { linkHeader } from './link-header.ts'
import {
  foldPath,
  foldQuery,
  joinSlashed,
  type Route,
  routesOf,
  segmentsBelow,
  takesSlashes,
} from './rest-route.ts'

const PREFIXES = ['/api/v1', '/api'] as const

/** Paths without a version: they describe the installation itself (contract, section 1.2). */
const UNVERSIONED: ReadonlySet<string> = new Set(['/version'])

type CachedResponse = {
  readonly body: CompressedText
  readonly showsSecret: boolean
  readonly headers: Headers
  readonly etag: string
  readonly caller: Caller
  readonly operation: string
}

const MAX_CACHED_CHARACTERS = 32_000
/** Headers, caller and key of an entry. */
const ENTRY_BYTES = 1000

const cachedResponses = commitCache<CachedResponse>('rest-responses', {
  maxSize: 8 * MIB,
  // Beside the text, what it was compressed to.
  sizeOf: ({ body }) => 3 * body.text.length + ENTRY_BYTES,
})

/** Throws a TypeError when two operations claim the same route. */
export function restRoutes(hearth: Hearth): HttpRoute[] {
  const paths = new Map<string, Map<string, Route>>()
  for (const operation of hearth.operations) {
    for (const route of routesOf(operation)) {
      const endsInPath = route.pathParts.some(({ takesRest }) => takesRest)
      // Parameters are named by their position, so that two routes never disagree about a name.
      const pattern = route.segments.map((segment, index) =>
        segment.startsWith('{') ? `:p${index}` : segment,
      )
      if (endsInPath) pattern[pattern.length - 1] = '*'
      const path = `/${pattern.join('/')}`
      const methods = paths.get(path) ?? new Map<string, Route>()
      const other = methods.get(route.method)
      if (other)
        throw new TypeError(
          `${operation.name} and ${other.operation.name} both claim ${route.method} ${route.written}`,
        )
      paths.set(path, methods.set(route.method, route))
    }
  }
  const responses = cachedResponses(hearth)
  const mounted = [...paths].flatMap(([path, methods]) =>
    PREFIXES.filter((prefix) => prefix === '/api' || !UNVERSIONED.has(path)).map((prefix) => ({
      path: prefix + path,
      prefix,
      methods,
      handler: createHandler(prefix, methods, responses),
    })),
  )
  return [...mounted, ...slashedRoutes(mounted)]
}

type MountedRoute = HttpRoute & {
  readonly prefix: string
  readonly methods: ReadonlyMap<string, Route>
}

/**
 * Addresses whose parameter was sent with slashes in it, which the router takes for further
 * segments. Of the routes that fit, the one with the most segments after the parameter is meant.
 */
function slashedRoutes(mounted: readonly MountedRoute[]): HttpRoute[] {
  const byStart = new Map<string, (MountedRoute & { readonly route: Route })[]>()
  for (const one of mounted) {
    const route = one.methods.values().next().value
    if (!route || route.slashedAt === null) continue
    // The path begins with an empty segment and those of the prefix.
    const before = one.prefix.split('/').length + route.slashedAt
    const start = one.path.split('/').slice(0, before).join('/')
    byStart.set(start, [...(byStart.get(start) ?? []), { ...one, route }])
  }
  return [...byStart].map(([start, routes]) => {
    const ordered = routes.toSorted((a, b) => b.route.segments.length - a.route.segments.length)
    return {
      path: `${start}/*`,
      handler: (exchange) => {
        const found = ordered.find(({ route, prefix }) =>
          takesSlashes(route, segmentsBelow(exchange.path, prefix)),
        )
        if (!found) throw notFound('the address')
        return found.handler(exchange)
      },
    }
  })
}

/** One handler for a path, whatever the method, so that 405, `Allow` and OPTIONS are the same. */
function createHandler(
  prefix: string,
  methods: ReadonlyMap<string, Route>,
  responses: CommitCache<CachedResponse>,
): RequestHandler {
  const allow = allowHeader([...methods.keys()])
  const get = methods.get('GET')
  const cacheable = get && isCacheable(get.operation) ? get : null
  return (exchange) => {
    const { method } = exchange
    if (method === 'GET' && cacheable) {
      const cached = responses.get(cacheKeyOf(exchange))
      return cached ? renderCached(exchange, cached) : serve(cacheable, exchange, prefix, responses)
    }
    const route = methods.get(method)
    if (route) return serve(route, exchange, prefix)
    if (method === 'OPTIONS') return preflightResponse(allow)
    throw methodNotAllowed(exchange.request.method, allow)
  }
}

/** The same address with the same credential is the same request. */
const cacheKeyOf = ({ request }: Exchange): string =>
  `${request.headers.get('authorization') ?? ''}\n${request.url}`

function renderCached(exchange: Exchange, cached: CachedResponse): Response | Promise<Response> {
  exchange.operation = cached.operation
  exchange.caller = cached.caller
  exchange.hasRequestId = true
  const headers = new Headers(cached.headers)
  headers.set('x-request-id', exchange.id)
  if (!matches(exchange.request.headers.get('if-none-match'), cached.etag))
    return cached.showsSecret
      ? new Response(cached.body.text, { headers })
      : cached.body.response(exchange.request, { headers })
  headers.delete('content-type')
  return new Response(null, { status: 304, headers })
}

async function serve(
  route: Route,
  exchange: Exchange,
  prefix: string,
  responses: CommitCache<CachedResponse> | null = null,
): Promise<Response> {
  const { hearth, request } = exchange
  const { operation } = route
  const version = responses?.version() ?? ''
  exchange.operation = operation.name
  const caller = (exchange.caller = callerOf(hearth, request, exchange.query))
  // The body of a caller without an account is not read for what needs one.
  if (operation.access.account && caller.kind === 'anonymous')
    decide(operation.access, caller, {}, hearth.facts)
  const segments = joinSlashed(route, segmentsBelow(exchange.path, prefix))
  const input = await readInput(route, exchange, segments)
  const formFile =
    operation.multipartBody && isMultipart(exchange)
      ? await openFormFile(route, exchange, input)
      : null
  const report: CallReport = { isReplayed: false, untrusted: [] }
  const options = callOptions(route, exchange, caller, input, report)
  if (formFile) options.bytes = formFile
  const streamed = await respondWithStream(route, exchange, { caller, input, options })
  if (streamed) return streamed
  let output: unknown
  try {
    output = await call<unknown, unknown>(hearth, operation, caller, input, options)
  } catch (error) {
    if (error instanceof Moved && route.repoAt !== null)
      return redirectToMovedRepo(route.repoAt, exchange, prefix, segments, error)
    throw error
  }
  const headers = jsonHeaders(exchange)
  if (report.isReplayed) headers.set('idempotent-replay', 'true')
  if (report.untrusted.length > 0)
    headers.set('x-untrusted', untrustedHeader(report.untrusted, route.isList))
  return renderOutput(route, exchange, { segments, input, output, headers }, (text, etag) => {
    if (text.length > MAX_CACHED_CHARACTERS) return
    responses?.set(cacheKeyOf(exchange), version, {
      body: new CompressedText(text),
      showsSecret: route.showsSecret,
      etag,
      headers,
      caller,
      operation: operation.name,
    })
  })
}

/** The other media types of an operation: lines, events, text. Null when none is asked for. */
async function respondWithStream(
  { operation, renames }: Route,
  exchange: Exchange,
  request: { caller: Caller; input: Record<string, unknown>; options: CallOptions },
): Promise<Response | null> {
  const { hearth } = exchange
  const { caller, input, options } = request
  if (operation.lines && requestsJsonLines(exchange)) {
    const records = callLines(hearth, operation, caller, input, options)
    return jsonLinesResponse(exchange, operation, records, renames)
  }
  if (operation.follow && requestsEventStream(exchange)) {
    const lastEventId = exchange.request.headers.get('last-event-id')
    const events = callFollow(hearth, operation, caller, input, { ...options, lastEventId })
    const release = await openStream(hearth, caller, exchange.origin.ip)
    return eventStreamResponse(exchange, events, renames, release)
  }
  if (!operation.text || !requestsPlainText(exchange)) return null
  const parts = callText(hearth, operation, caller, input, options)
  const release = await openStream(hearth, caller, exchange.origin.ip)
  return plainTextResponse(exchange, parts, release)
}

/** Path, query and body as the flat input of the operation. A file in the body is not read. */
function readInput(
  route: Route,
  exchange: Exchange,
  segments: readonly string[],
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const input = foldPath(route, segments)
  const { rawBody } = route.operation
  if (route.method === 'GET' || route.method === 'DELETE' || rawBody)
    foldQuery(exchange.query, route.fields, input)
  return rawBody || route.method === 'GET' ? input : foldBody(route, exchange, input)
}

const isMultipart = ({ request }: Exchange): boolean =>
  mediaTypeOf(request.headers.get('content-type')) === 'multipart/form-data'

/** A form field before the file may be as long as other inputs. */
const MAX_FORM_FIELD_BYTES = 64 * KIB

/**
 * The file of a multipart form, not read yet. The fields before it become inputs; the file's own
 * name is the input `name` unless another was given. Throws 422 for a form without a file.
 */
async function openFormFile(
  route: Route,
  { body }: Exchange,
  input: Record<string, unknown>,
): Promise<IncomingBytes> {
  const parts = body.parts({ maxBytes: Infinity, idleTimeoutMs: MINUTE })
  for (;;) {
    const { done, value: part } = await parts.next()
    if (done || part.filename === '') throw invalid('file', 'the form holds no file')
    if (part.filename !== null) {
      input.name ??= part.filename
      return { stream: part.stream, type: part.type, length: null }
    }
    const text = await readFormField(part.stream)
    const field = route.fields.get(part.name)
    if (field) put(input, field.name, text, part.name)
  }
}

async function readFormField(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of stream) {
    size += piece.length
    if (size > MAX_FORM_FIELD_BYTES) throw tooLargeRefusal(MAX_FORM_FIELD_BYTES)
    pieces.push(Uint8Array.from(piece))
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** What `call` reports back beside the output. */
type CallReport = { isReplayed: boolean; untrusted: readonly string[] }

function callOptions(
  route: Route,
  exchange: Exchange,
  caller: Caller,
  input: Record<string, unknown>,
  report: CallReport,
): CallOptions {
  const { operation } = route
  const { request } = exchange
  // Signal and origin are created on demand, because most reads need neither.
  const options: CallOptions = {
    get signal() {
      return request.signal
    },
    get origin() {
      return exchange.origin
    },
    currentCaller: () => callerOf(exchange.hearth, request, exchange.query),
  }
  // Agents wait so for output and answers, many at once.
  if (input.wait !== undefined && operation.input.properties.wait) exchange.leaveTurn()
  if (operation.rawBody) options.bytes = exchange.body.file()
  else options.deadlineMs = exchange.deadlineMs
  if (operation.untrusted) options.untrusted = (pointers) => (report.untrusted = pointers)
  if (route.method === 'POST') {
    // A file is not read to compare it; its announced length stands for it.
    const compared = operation.rawBody
      ? { ...input, content_length: request.headers.get('content-length') }
      : input
    const idempotency = requestIdempotency(route, request, caller, compared)
    if (idempotency)
      options.idempotency = { ...idempotency, replayed: () => (report.isReplayed = true) }
  }
  return options
}

/**
 * A redirect to the same path under the new name of a repository. 308 keeps method and body (RFC
 * 9110 section 15.4.9).
 */
function redirectToMovedRepo(
  at: { readonly owner: number; readonly name: number },
  exchange: Exchange,
  prefix: string,
  segments: readonly string[],
  moved: Moved,
): Response {
  const [owner = '', name = ''] = moved.to.split('/').map(encodeURIComponent)
  const path = segments
    .map((segment, index) => (index === at.owner ? owner : index === at.name ? name : segment))
    .join('/')
  const headers = jsonHeaders(exchange)
  headers.set('location', `${prefix}/${path}${exchange.query === '' ? '' : `?${exchange.query}`}`)
  headers.set('cache-control', 'no-store')
  return new Response(JSON.stringify(moved.body(exchange.id)), { status: 308, headers })
}

async function foldBody(
  route: Route,
  { body }: Exchange,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const maxBytes = route.operation.bodyLimit ?? DEFAULT_MAX_BODY_BYTES
  const object = await body.jsonObject({ maxBytes })
  const named = inSnakeCase(route.shape, object) as Record<string, unknown>
  for (const name of Object.keys(named)) put(input, name, named[name], name)
  return input
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/

/** Null without a key, and for callers without an account, for whom nothing can be stored. */
function requestIdempotency(
  route: Route,
  request: Request,
  caller: Caller,
  input: Record<string, unknown>,
) {
  const key = request.headers.get('idempotency-key')
  if (key === null || caller.kind === 'anonymous') return null
  return idempotencyOf(route.operation.name, caller, key, input)
}

/** The first answer is stored for each token (or sign-in) and key. Throws 422 for a bad key. */
export function idempotencyOf(operation: string, caller: Caller, key: string, input: unknown) {
  if (!IDEMPOTENCY_KEY.test(key))
    throw new Refusal('invalid', 'an idempotency key has 1 to 128 visible characters', {
      field: 'idempotency_key',
    })
  if (caller.kind === 'anonymous') return null
  const caller_id =
    caller.token?.id ?? (caller.kind === 'user' ? (caller.sign_in ?? caller.id) : caller.id)
  return { caller_id, key, operation, body_hash: bodyHash(input) }
}

const MAX_UNTRUSTED_HEADER_LENGTH = 2048

/**
 * JSON pointers separated by commas, as many as fit. A list over REST is the bare array, so its
 * pointers lose `/items`.
 */
function untrustedHeader(pointers: readonly string[], isList: boolean): string {
  let text = ''
  for (const pointer of pointers) {
    const rest = isList && pointer.startsWith('/items/') ? pointer.slice(6) : pointer
    const longer = text === '' ? encodeURI(rest) : `${text}, ${encodeURI(rest)}`
    if (longer.length > MAX_UNTRUSTED_HEADER_LENGTH) break
    text = longer
  }
  return text
}

type Answer = {
  readonly segments: readonly string[]
  readonly input: Record<string, unknown>
  readonly output: unknown
  readonly headers: Headers
}

/** `onText` is called with the text of a GET and its validator. */
function renderOutput(
  route: Route,
  exchange: Exchange,
  answer: Answer,
  onText: (text: string, etag: string) => void,
): Response | Promise<Response> {
  const { operation } = route
  const { output, headers } = answer
  if (operation.redirect) {
    headers.set('location', operation.redirect(output))
    headers.delete('content-type')
    return new Response(null, { status: 302, headers })
  }
  if (operation.status === 204) {
    headers.delete('content-type')
    return new Response(null, { status: 204, headers })
  }
  const value = route.isList ? renderList(route, exchange, answer) : output
  const text = JSON.stringify(renamed(route.renames, value)) ?? 'null'
  if (operation.secretAnswer) headers.set('cache-control', 'no-store')
  if (route.method === 'GET') {
    const etag = etagOf(text)
    headers.set('etag', etag)
    onText(text, etag)
    if (matches(exchange.request.headers.get('if-none-match'), etag)) {
      headers.delete('content-type')
      return new Response(null, { status: 304, headers })
    }
  }
  const init = { status: operation.existed?.(output) ? 200 : operation.status, headers }
  return route.showsSecret
    ? new Response(text, init)
    : compressedResponse(exchange.request, text, init)
}

/** The items of a list, with the headers that lead to its other pages. */
function renderList(
  route: Route,
  { hearth, query }: Exchange,
  { segments, input, output, headers }: Answer,
): readonly unknown[] {
  const list = output as ListOf<unknown>
  if (list.total !== undefined) headers.set('x-total-count', String(list.total))
  const version = route.written === route.path ? '' : '/v1'
  const address = `${hearth.settings.base_url}${version}/${segments.join('/')}`
  const link = linkHeader(route, address, query, input, list)
  if (link !== null) headers.set('link', link)
  return list.items
}
