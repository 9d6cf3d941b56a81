/**
 * How registries of images are asked: without credentials first, then with those that the challenge
 * of a 401 names.
 */
import { outboundClient } from '#core/outbound.ts'
import { cache } from '#core/service.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { bearerOf, parseBearer, tokenUrl } from '#lib/outbound/registry-token.ts'
import { SECOND } from '#lib/time.ts'
import { parseObject } from '../../formats/json.ts'
import { basicAuthorization, openCredentials } from '../credentials.ts'
import { UpstreamFailure, type Fetched, type UpstreamRequest } from '../fetch.ts'
import type { Source } from '../source.ts'

const TOKEN_TIMEOUT_MS = 20 * SECOND
const MAX_TOKEN_BYTES = 64 * 1024
/** Tokens are valid for a minute at least (the document above). */
const LIFETIME_MS = 50 * SECOND

type Token = { readonly authorization: string; readonly untilMs: number }
const tokens = cache<Token>('upstream-tokens', {
  maxSize: 1024 ** 2,
  sizeOf: ({ authorization }) => authorization.length + 500,
})

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
  const authorization = bearerOf(document)
  if (authorization === null)
    throw new UpstreamFailure(
      `${url.host} gave no token (${response.status}): an owner may have to set the secret`,
    )
  return authorization
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
  const url = tokenUrl(parameters, new URL(upstream.url))
  if (url === null)
    throw new UpstreamFailure('its challenge names no address for tokens that may be used')
  const authorization = await fetchToken(source, url)
  tokens(hearth).set(key, { authorization, untilMs: hearth.clock.now() + LIFETIME_MS })
  return await source.sendAs(request, authorization)
}
