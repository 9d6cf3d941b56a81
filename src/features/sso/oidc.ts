/**
 * OpenID Connect (https://openid.net/specs/openid-connect-core-1_0.html): the code flow with PKCE
 * (RFC 7636), state and nonce. What belongs to one attempt travels in a sealed cookie, so only the
 * browser that began can finish, and within ten minutes.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  discovery,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client'
import type { Hearth } from '#core/hearth.ts'
import type { OidcProvider } from '#core/settings.ts'
import { sealUntil, unsealFresh } from '#features/accounts/index.ts'
import { invalid, notFound, Refusal } from '#lib/errors.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import type { Known } from './known.ts'

export const ATTEMPT_MS = 10 * MINUTE
const DISCOVERED_MS = HOUR
const TIMEOUT_SECONDS = 10
const PURPOSE = 'sign-on'
const MOST_GROUPS = 1000

export type Attempt = {
  provider: string
  state: string
  nonce: string
  verifier: string
  next: string | null
  /** The person who links this sign-in to their account; null for signing in. */
  link_to: string | null
}

/** Gives 404 for a provider that the settings do not have. */
export function requireProvider({ settings }: Pick<Hearth, 'settings'>, id: string): OidcProvider {
  const provider = settings.sso.oidc.find((one) => one.id === id)
  if (!provider) throw notFound(`the provider ${id}`)
  return provider
}

export const callbackAddress = (
  { settings }: Pick<Hearth, 'settings'>,
  provider: OidcProvider,
): string => `${settings.site_url}/login/sso/${provider.id}/callback`

const discovered = new WeakMap<
  OidcProvider,
  { at: number; configuration: Promise<Configuration> }
>()

/** What the provider says of itself, kept for an hour. Gives 503 when it does not answer. */
async function configurationOf(
  hearth: Pick<Hearth, 'clock' | 'log'>,
  provider: OidcProvider,
): Promise<Configuration> {
  const now = hearth.clock.now()
  let known = discovered.get(provider)
  if (!known || known.at < now - DISCOVERED_MS) {
    const insecure = new URL(provider.issuer).protocol === 'http:'
    known = {
      at: now,
      configuration: discovery(
        new URL(provider.issuer),
        provider.client_id,
        undefined,
        clientAuth(provider),
        {
          timeout: TIMEOUT_SECONDS,
          ...(insecure ? { execute: [allowInsecureRequests] } : {}),
        },
      ),
    }
    discovered.set(provider, known)
  }
  try {
    return await known.configuration
  } catch (error) {
    discovered.delete(provider)
    hearth.log.warn('a provider of sign-on does not answer', { provider: provider.id, error })
    throw new Refusal('unavailable', `${provider.name} does not answer; try again later`, {
      headers: { 'Retry-After': '30' },
    })
  }
}

/** How the secret is sent: as the provider says it takes it, in the header where it takes both. */
function clientAuth({ client_secret }: OidcProvider): Parameters<typeof discovery>[3] {
  if (client_secret === null) return None()
  const [basic, post] = [ClientSecretBasic(client_secret), ClientSecretPost(client_secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported
    return (methods && !methods.includes('client_secret_basic') ? post : basic)(server, ...rest)
  }
}

/** Where the browser goes, and the sealed attempt that it brings back. */
export async function begin(
  hearth: Hearth,
  provider: OidcProvider,
  options: { next: string | null; link_to: string | null },
): Promise<{ url: string; attempt: string }> {
  const configuration = await configurationOf(hearth, provider)
  const attempt: Attempt = {
    provider: provider.id,
    state: randomState(),
    nonce: randomNonce(),
    verifier: randomPKCECodeVerifier(),
    ...options,
  }
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: callbackAddress(hearth, provider),
    scope: [...new Set(['openid', ...provider.scopes])].join(' '),
    code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
    state: attempt.state,
    nonce: attempt.nonce,
  })
  return {
    url: url.href,
    attempt: sealUntil(hearth, PURPOSE, hearth.clock.now() + ATTEMPT_MS, attempt),
  }
}

/**
 * The attempt of this browser. Gives 422 for none, one that is too old, or one at another provider.
 */
export function requireAttempt(hearth: Hearth, provider: OidcProvider, sealed: string): Attempt {
  const attempt = sealed === '' ? null : unsealFresh<Attempt>(hearth, PURPOSE, sealed)
  if (!attempt || attempt.provider !== provider.id)
    throw invalid('attempt', 'this took too long, or was begun in another browser; sign in again')
  return attempt
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

function groupsOf(value: unknown): string[] | null {
  if (value === undefined || value === null) return null
  return (Array.isArray(value) ? value : [value])
    .filter((one) => typeof one === 'string')
    .slice(0, MOST_GROUPS)
}

/**
 * Exchanges the code that came back. `query` is what stood behind the address of the callback.
 * Gives 422 when anything is not as it should be.
 */
export async function finish(
  hearth: Hearth,
  provider: OidcProvider,
  attempt: Attempt,
  query: string,
): Promise<Known> {
  const configuration = await configurationOf(hearth, provider)
  try {
    const tokens = await authorizationCodeGrant(
      configuration,
      new URL(`${callbackAddress(hearth, provider)}?${query.replace(/^\?/, '')}`),
      {
        pkceCodeVerifier: attempt.verifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
      },
    )
    const token = tokens.claims()
    if (!token) throw new Error('there is no ID token')
    const about = configuration.serverMetadata().userinfo_endpoint
      ? await fetchUserInfo(configuration, tokens.access_token, token.sub)
      : {}
    const claims: Record<string, unknown> = { ...token, ...about }
    const email = textOf(claims['email'])
    return {
      subject: token.sub,
      username: textOf(claims[provider.username_claim]) ?? email ?? token.sub,
      name: textOf(claims['name']),
      email,
      // Some send the word instead of the value.
      email_verified: claims['email_verified'] === true || claims['email_verified'] === 'true',
      groups: groupsOf(claims[provider.groups_claim]),
    }
  } catch (error) {
    // The error's cause may hold tokens or the code, so only its name and message are written down.
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    hearth.log.warn('a sign-on was not completed', {
      provider: provider.id,
      error: `${name}: ${message}`,
    })
    throw invalid('attempt', `${provider.name} did not confirm this sign-in; try again`)
  }
}
