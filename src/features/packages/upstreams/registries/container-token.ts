/**
 * How registries of images are asked: without credentials first, then with those that the challenge
 * of a 401 names. A token comes from the address in the challenge
 * (https://distribution.github.io/distribution/spec/auth/token/).
 */
import { outboundClient } from '#core/outbound.ts'
import { cache } from '#core/service.ts'
import { textOf } from '#lib/json-value.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { SECOND } from '#lib/time.ts'
import { parseObject } from '../../formats/json.ts'
import { basicAuthorization, openCredentials } from '../credentials.ts'
import { UpstreamFailure, type Fetched, type UpstreamRequest } from '../fetch.ts'
import type { Source } from '../source.ts'

const TOKEN_TIMEOUT_MS = 20 * SECOND
const MAX_TOKEN_BYTES = 64 * 1024
const MAX_CHALLENGE_LENGTH = 2000
/** Tokens are valid for a minute at least (the document above). */
const LIFETIME_MS = 50 * SECOND

type Token = { readonly authorization: string; readonly untilMs: number }
const tokens = cache<Token>('upstream-tokens', {
  maxSize: 1024 ** 2,
  sizeOf: ({ authorization }) => authorization.length + 500,
})

/** The parameters of a `Bearer` challenge; null for another one. */
function parseBearer(challenge: string | null): ReadonlyMap<string, string> | null {
  const text = challenge?.slice(0, MAX_CHALLENGE_LENGTH) ?? ''
  if (!/^bearer\s/i.test(text)) return null
  return new Map(
    [...text.matchAll(/(realm|service|scope)="([^"]*)"/gi)].map(([, key = '', value = '']) => [
      key.toLowerCase(),
      value,
    ]),
  )
}

/** Where a token is to be had. Only the registry itself may name an address without TLS. */
function tokenUrl({ upstream }: Source, parameters: ReadonlyMap<string, string>): URL {
  const url = URL.parse(parameters.get('realm') ?? '')
  const isSafe = url?.protocol === 'https:' || url?.origin === new URL(upstream.url).origin
  if (url === null || !isSafe)
    throw new UpstreamFailure('its challenge names no address for tokens that may be used')
  for (const name of ['service', 'scope']) {
    const value = parameters.get(name)
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url
}

async function fetchToken(source: Source, url: URL): Promise<string> {
  const { hearth, upstream } = source
  const credentials = openCredentials(hearth, upstream)
  const headers = {
    accept: 'application/json',
    'user-agent': 'Hearth package cache',
    ...(credentials && { authorization: basicAuthorization(credentials) }),
  }
  const limits = { timeoutMs: TOKEN_TIMEOUT_MS, maxBytes: MAX_TOKEN_BYTES }
  const response = await outboundClient(hearth)
    .request(url, { headers, ...limits })
    .catch((error: unknown) => {
      throw error instanceof OutboundError ? new UpstreamFailure(error.message) : error
    })
  const document =
    response.status === 200 ? parseObject(new TextDecoder().decode(response.body)) : null
  const token = textOf(document?.token) ?? textOf(document?.access_token)
  if (token === null || !/^[\x21-\x7e]+$/.test(token))
    throw new UpstreamFailure(
      `${url.host} gave no token (${response.status}): an owner may have to set the secret`,
    )
  return `Bearer ${token}`
}

/** Reading one image takes one token. The path is `/v2/<name>/<kind>/<reference>`. */
const tokenKey = ({ upstream }: Source, { url }: UpstreamRequest): string =>
  `${upstream.id} ${upstream.updated_at} ${url.pathname.split('/').slice(0, -2).join('/')}`

export async function sendWithToken(source: Source, request: UpstreamRequest): Promise<Fetched> {
  const { hearth, upstream } = source
  const key = tokenKey(source, request)
  const kept = tokens(hearth).get(key)
  const isValid = kept !== undefined && kept.untilMs > hearth.clock.now()
  const first = await source.sendAs(request, isValid ? kept.authorization : null)
  if (first.outcome !== 'refused' || first.status !== 401) return first
  const parameters = parseBearer(first.challenge)
  const credentials = openCredentials(hearth, upstream)
  if (parameters === null)
    return credentials === null
      ? first
      : await source.sendAs(request, basicAuthorization(credentials))
  const authorization = await fetchToken(source, tokenUrl(source, parameters))
  tokens(hearth).set(key, { authorization, untilMs: hearth.clock.now() + LIFETIME_MS })
  return await source.sendAs(request, authorization)
}
