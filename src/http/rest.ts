/**
 * The REST door: every operation that has a route, under `/api/v1` and `/api` alike. It folds path,
 * query and body into the flat input of the operation, calls it, and puts the answer into HTTP:
 * status, list headers, validators.
 */
import { bodyHash } from '#core/idempotency.ts'
import { call, callLines, type CallOptions } from '#core/operation.ts'
import { decide } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { ListOf } from '#core/schema.ts'
import { Moved, Refusal } from '#lib/errors.ts'
import { AnswerMemo, isMemorable, type KeptAnswer } from './answer-memo.ts'
import { EXPOSED_HEADERS, jsonHeaders } from './answers.ts'
import { callerOf } from './authenticate.ts'
import { incomingBytes, readJsonObject, USUAL_LIMIT } from './body.ts'
import { etagOf, matches } from './etag.ts'
import type { Door, Exchange, Refuse } from './exchange.ts'
import { asLines, wantsLines } from './lines.ts'
import { linkHeader } from './links.ts'
import { foldPath, foldQuery, routesOf, segmentsBelow, type Route } from './route.ts'
import { inSnakeCase, put, renamed } from './shape.ts'

/** A path of the router, with the door that answers every method on it. */
export type Mount = {
  readonly path: string
  readonly door: Door /** JSON unless given. */
  readonly refuse?: Refuse
}

const PREFIXES = ['/api/v1', '/api'] as const

/**
 * Everything to mount for the operations of a forge. Throws when two operations claim one route.
 */
export function restMounts(hearth: Hearth, memo: AnswerMemo = new AnswerMemo(hearth)): Mount[] {
  const paths = new Map<string, Map<string, Route>>()
  for (const operation of hearth.operations) {
    for (const route of routesOf(operation)) {
      const rests = route.pathParts.some(({ rest }) => rest)
      // Parameters are named by their place, so that two routes never disagree about a name.
      const pattern = route.segments.map((segment, index) =>
        segment.startsWith('{') ? `:p${index}` : segment,
      )
      if (rests) pattern[pattern.length - 1] = '*'
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
  return [...paths].flatMap(([path, methods]) =>
    PREFIXES.map((prefix) => ({ path: prefix + path, door: methodsDoor(prefix, methods, memo) })),
  )
}

function methodsDoor(prefix: string, methods: ReadonlyMap<string, Route>, memo: AnswerMemo): Door {
  const allow = allowed([...methods.keys()])
  return (exchange) => {
    const { method } = exchange.request
    const route = methods.get(method === 'HEAD' ? 'GET' : method)
    if (route)
      return method === 'GET' && isMemorable(route.operation)
        ? answer(route, exchange, prefix, keeping(memo, exchange.request))
        : answer(route, exchange, prefix)
    if (method === 'OPTIONS') return preflight(allow)
    throw new Refusal('method_not_allowed', `${method} is not possible here; ${allow} are`, {
      headers: { allow },
    })
  }
}

export const allowed = (methods: readonly string[]): string => {
  const all = new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])
  return [...all].sort().join(', ')
}

/**
 * Browsers may call from anywhere, with a token but never with a cookie (Fetch standard, section
 * 3.3).
 */
export const preflight = (allow: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      allow,
      'access-control-allow-origin': '*',
      'access-control-allow-methods': allow,
      'access-control-allow-headers':
        'authorization, content-type, idempotency-key, if-none-match, mcp-protocol-version, x-request-id',
      'access-control-expose-headers': EXPOSED_HEADERS,
      'access-control-max-age': '7200',
    },
  })

type Keep = (answer: Omit<KeptAnswer, 'at'>) => void

/** Remembers the answer that is about to be made, as of now. */
function keeping(memo: AnswerMemo, request: Request): Keep {
  const state = memo.state()
  return (made) => memo.keep(request, state, made)
}

async function answer(
  route: Route,
  exchange: Exchange,
  prefix: string,
  keep?: Keep,
): Promise<Response> {
  const { hearth, request } = exchange
  const { operation } = route
  exchange.operation = operation.name
  const caller = (exchange.caller = callerOf(hearth, request, exchange.query))
  // A stranger's body is not read for what needs an account.
  if (operation.access.account && caller.kind === 'anonymous')
    decide(operation.access, caller, {}, hearth.facts)
  const segments = segmentsBelow(exchange.path, prefix)
  const input = foldPath(route, segments)
  if (route.method === 'GET' || route.method === 'DELETE')
    foldQuery(exchange.query, route.fields, input)
  if (operation.rawBody) foldQuery(exchange.query, route.fields, input)
  else if (route.method !== 'GET') await foldBody(route, request, input)
  let replayed = false
  let untrusted: readonly string[] = []
  const options: CallOptions = {
    get signal() {
      return request.signal
    },
    get origin() {
      return exchange.origin
    },
  }
  if (operation.rawBody) options.bytes = incomingBytes(request)
  else options.until = exchange.until
  if (operation.untrusted) options.untrusted = (pointers) => (untrusted = pointers)
  if (route.method === 'POST') {
    const idempotency = repeatable(
      route,
      request,
      caller,
      operation.rawBody
        ? { ...input, content_length: request.headers.get('content-length') }
        : input,
    )
    if (idempotency) options.idempotency = { ...idempotency, replayed: () => (replayed = true) }
  }
  if (operation.lines && wantsLines(exchange))
    return asLines(
      exchange,
      operation,
      callLines(hearth, operation, caller, input, options),
      route.renames,
    )
  let output: unknown
  try {
    output = await call<unknown, unknown>(hearth, operation, caller, input, options)
  } catch (error) {
    if (error instanceof Moved && route.repoAt !== null)
      return sendOn(route.repoAt, exchange, prefix, segments, error)
    throw error
  }
  const headers = jsonHeaders(exchange)
  if (replayed) headers.set('idempotent-replay', 'true')
  if (untrusted.length > 0) headers.set('x-untrusted', untrustedHeader(untrusted, route.isList))
  return respond(
    route,
    exchange,
    segments,
    input,
    output,
    headers,
    keep && ((text, etag) => keep({ text, etag, headers, caller, operation: operation.name })),
  )
}

/**
 * The same path under the name that a repository has now; 308 keeps method and body (RFC 9110
 * section 15.4.9).
 */
function sendOn(
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
  request: Request,
  input: Record<string, unknown>,
): Promise<void> {
  const body = await readJsonObject(request, route.operation.bodyLimit ?? USUAL_LIMIT)
  const named = inSnakeCase(route.shape, body) as Record<string, unknown>
  for (const name of Object.keys(named)) put(input, name, named[name], name)
}

const KEY = /^[\x21-\x7e]{1,128}$/

/**
 * The first answer is kept for each token and key; a caller without an account has nothing to keep
 * it under.
 */
function repeatable(
  route: Route,
  request: Request,
  caller: Caller,
  input: Record<string, unknown>,
) {
  const key = request.headers.get('idempotency-key')
  if (key === null || caller.kind === 'anonymous') return null
  return idempotencyOf(route.operation.name, caller, key, input)
}

export function idempotencyOf(operation: string, caller: Caller, key: string, input: unknown) {
  if (!KEY.test(key))
    throw new Refusal('invalid', 'an idempotency key has 1 to 128 visible characters', {
      field: 'idempotency_key',
    })
  if (caller.kind === 'anonymous') return null
  const caller_id =
    caller.token?.id ?? (caller.kind === 'user' ? (caller.sign_in ?? caller.id) : caller.id)
  return { caller_id, key, operation, body_hash: bodyHash(input) }
}

const LONGEST_UNTRUSTED = 2048

/**
 * JSON pointers separated by commas, as many as fit. Over REST a list is the bare array, so
 * `/items` falls away.
 */
function untrustedHeader(pointers: readonly string[], isList: boolean): string {
  let text = ''
  for (const pointer of pointers) {
    const place = isList && pointer.startsWith('/items/') ? pointer.slice(6) : pointer
    const longer = text === '' ? encodeURI(place) : `${text}, ${encodeURI(place)}`
    if (longer.length > LONGEST_UNTRUSTED) break
    text = longer
  }
  return text
}

function respond(
  route: Route,
  exchange: Exchange,
  segments: string[],
  input: Record<string, unknown>,
  output: unknown,
  headers: Headers,
  keep?: (text: string, etag: string) => void,
): Response {
  const { hearth, request } = exchange
  const { operation } = route
  if (operation.redirect) {
    headers.set('location', operation.redirect(output))
    headers.delete('content-type')
    return new Response(null, { status: 302, headers })
  }
  if (operation.status === 204) {
    headers.delete('content-type')
    return new Response(null, { status: 204, headers })
  }
  let value = output
  if (route.isList) {
    const list = output as ListOf<unknown>
    value = list.items
    if (list.total !== undefined) headers.set('x-total-count', String(list.total))
    const address =
      hearth.settings.base_url +
      (route.written === route.path ? '' : '/v1') +
      `/${segments.join('/')}`
    const link = linkHeader(route, address, exchange.query, input, list)
    if (link !== null) headers.set('link', link)
  }
  const text = JSON.stringify(renamed(route.renames, value) ?? null)
  if (operation.secretAnswer) headers.set('cache-control', 'no-store')
  if (route.method === 'GET') {
    const etag = etagOf(text)
    headers.set('etag', etag)
    keep?.(text, etag)
    if (matches(request.headers.get('if-none-match'), etag)) {
      headers.delete('content-type')
      return new Response(null, { status: 304, headers })
    }
    if (request.method === 'HEAD') {
      headers.set('content-length', String(Buffer.byteLength(text)))
      return new Response(null, { status: operation.status, headers })
    }
  }
  return new Response(text, { status: operation.status, headers })
}
