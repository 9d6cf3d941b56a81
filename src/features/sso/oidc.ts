/**
 * OpenID Connect (https://openid.net/specs/openid-connect-core-1_0.html): the code flow with PKCE
 * (RFC 7636), state and nonce. A sealed cookie carries the attempt, so only the browser that
 * started it can finish it, within ten minutes.
 */
import type { ClientAuth, Configuration } from 'openid-client'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import type { OidcProvider } from '#core/settings.ts'
import { sealUntil, unsealFresh } from '#features/accounts/index.ts'
import { invalid, notFound, Refusal } from '#lib/errors.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import type { ProviderIdentity } from './provider-identity.ts'

/** Loads at the first sign-on: most installations have no provider. */
const openidClient = () => import('openid-client')

export const ATTEMPT_LIFETIME_MS = 10 * MINUTE
const DISCOVERY_TTL_MS = HOUR
const TIMEOUT_SECONDS = 10
const PURPOSE = 'sign-on'
const MAX_GROUPS = 1000

export type SignOnAttempt = {
  provider: string
  state: string
  nonce: string
  verifier: string
  next: string | null
  /** The user who links this identity to their account. Null for a sign-in. */
  link_to: string | null
}

/** Throws 404 for a provider that is not configured. */
export function requireProvider({ settings }: Pick<Hearth, 'settings'>, id: string): OidcProvider {
  const provider = settings.sso.oidc.find((one) => one.id === id)
  if (!provider) throw notFound(`the provider ${id}`)
  return provider
}

export const callbackUrl = (
  { settings }: Pick<Hearth, 'settings'>,
  provider: OidcProvider,
): string => `${settings.site_url}/login/sso/${provider.id}/callback`

type Discovery = { readonly at: number; readonly configuration: Promise<Configuration> }

/** Discovery documents of providers, by the provider's id. */
const discoveries = service('OpenID Connect discovery', () => new Map<string, Discovery>())

/** The provider's discovery document, cached for an hour. Throws 503 when the provider fails. */
async function configurationOf(
  hearth: Pick<Hearth, 'clock' | 'log' | 'services'>,
  provider: OidcProvider,
): Promise<Configuration> {
  const entries = discoveries(hearth)
  const now = hearth.clock.now()
  let entry = entries.get(provider.id)
  if (!entry || entry.at < now - DISCOVERY_TTL_MS) {
    entry = { at: now, configuration: discover(provider) }
    entries.set(provider.id, entry)
  }
  try {
    return await entry.configuration
  } catch (error) {
    entries.delete(provider.id)
    hearth.log.warn('a sign-on provider does not respond', { provider: provider.id, error })
    throw new Refusal('unavailable', `${provider.name} does not answer; try again later`, {
      headers: { 'Retry-After': '30' },
    })
  }
}

async function discover(provider: OidcProvider): Promise<Configuration> {
  const { allowInsecureRequests, discovery } = await openidClient()
  const issuer = new URL(provider.issuer)
  return discovery(issuer, provider.client_id, undefined, await clientAuth(provider), {
    timeout: TIMEOUT_SECONDS,
    ...(issuer.protocol === 'http:' ? { execute: [allowInsecureRequests] } : {}),
  })
}

/**
 * How the client secret is sent: as the provider's metadata requires, in the header if it accepts
 * both.
 */
async function clientAuth({ client_secret }: OidcProvider): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost, None } = await openidClient()
  if (client_secret === null) return None()
  const [basic, post] = [ClientSecretBasic(client_secret), ClientSecretPost(client_secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported
    return (methods && !methods.includes('client_secret_basic') ? post : basic)(server, ...rest)
  }
}

/** Starts an attempt. Returns the authorization URL and the sealed attempt for the cookie. */
export async function beginSignOn(
  hearth: Hearth,
  provider: OidcProvider,
  options: { next: string | null; link_to: string | null },
): Promise<{ url: string; attempt: string }> {
  const configuration = await configurationOf(hearth, provider)
  const client = await openidClient()
  const attempt: SignOnAttempt = {
    provider: provider.id,
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    ...options,
  }
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl(hearth, provider),
    scope: [...new Set(['openid', ...provider.scopes])].join(' '),
    code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
    state: attempt.state,
    nonce: attempt.nonce,
  })
  return {
    url: url.href,
    attempt: sealUntil(hearth, PURPOSE, hearth.clock.now() + ATTEMPT_LIFETIME_MS, attempt),
  }
}

/** The attempt of this browser. Throws 422 when it is missing, expired, or for another provider. */
export function requireAttempt(
  hearth: Hearth,
  provider: OidcProvider,
  sealed: string,
): SignOnAttempt {
  const attempt = sealed === '' ? null : unsealFresh<SignOnAttempt>(hearth, PURPOSE, sealed)
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
    .slice(0, MAX_GROUPS)
}

/**
 * Exchanges the authorization code for the user's identity. `query` is the query string of the
 * callback. Throws 422 when any check fails.
 */
export async function exchangeCode(
  hearth: Hearth,
  provider: OidcProvider,
  attempt: SignOnAttempt,
  query: string,
): Promise<ProviderIdentity> {
  const configuration = await configurationOf(hearth, provider)
  const { authorizationCodeGrant, fetchUserInfo } = await openidClient()
  try {
    const tokens = await authorizationCodeGrant(
      configuration,
      new URL(`${callbackUrl(hearth, provider)}?${query.replace(/^\?/, '')}`),
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
    const email = textOf(claims.email)
    return {
      subject: token.sub,
      username: textOf(claims[provider.username_claim]) ?? email ?? token.sub,
      name: textOf(claims.name),
      email,
      // Some providers send the string instead of the boolean.
      email_verified: claims.email_verified === true || claims.email_verified === 'true',
      groups: groupsOf(claims[provider.groups_claim]),
    }
  } catch (error) {
    // The error's cause may contain tokens or the code, so the log gets only its name and message.
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    hearth.log.warn('a sign-on was not completed', {
      provider: provider.id,
      error: `${name}: ${message}`,
    })
    throw invalid('attempt', `${provider.name} did not confirm this sign-in; try again`)
  }
}
