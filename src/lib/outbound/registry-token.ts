/**
 * How clients of registries of images get a token: the challenge of a 401 names its address
 * (https://distribution.github.io/distribution/spec/auth/token/).
 */
import { objectOf, textOf } from '../json-value.ts'

const MAX_CHALLENGE_LENGTH = 2000

export type TokenChallenge = ReadonlyMap<string, string>

/** The parameters of a `Bearer` challenge; null for another one. */
export function parseBearer(challenge: string | null): TokenChallenge | null {
  const text = challenge?.slice(0, MAX_CHALLENGE_LENGTH) ?? ''
  if (!/^bearer\s/i.test(text)) return null
  return new Map(
    [...text.matchAll(/(realm|service|scope)="([^"]*)"/gi)].map(([, key = '', value = '']) => [
      key.toLowerCase(),
      value,
    ]),
  )
}

/** Where a token is to be had. Only the registry itself may name an address without TLS; else null. */
export function tokenUrl(challenge: TokenChallenge, registry: URL): URL | null {
  const url = URL.parse(challenge.get('realm') ?? '')
  if (url === null || (url.protocol !== 'https:' && url.origin !== registry.origin)) return null
  for (const name of ['service', 'scope']) {
    const value = challenge.get(name)
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url
}

/** The header for a token in a document of its address; null where there is none. */
export function bearerOf(document: unknown): string | null {
  const { token, access_token } = objectOf(document)
  const text = textOf(token) ?? textOf(access_token)
  return text === null || !/^[\x21-\x7e]+$/.test(text) ? null : `Bearer ${text}`
}
