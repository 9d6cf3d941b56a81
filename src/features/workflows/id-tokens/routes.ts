/**
 * ID tokens of jobs (OpenID Connect): a job proves to a cloud or a vault which repository, branch and
 * environment it is of, without a stored secret. Relying parties read the documents below the issuer.
 */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest, ProtocolRoute } from '#core/protocol-routes.ts'
import type { JobPlan } from '#actions'
import { invalid, notFound, Refusal } from '#lib/errors.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { SignJWT } from 'jose'
import { ID_TOKEN_ISSUER, ID_TOKEN_PATH, mayHaveIdToken } from '../jobs/job-services.ts'
import { jobOfRequest } from '../jobs/runtime-token.ts'
import { findJob } from '../jobs/store-jobs.ts'
import { findRun } from '../runs/store-runs.ts'
import { claimsOf } from './claims.ts'
import { signingKey } from './signing-key.ts'

const LIFETIME_MS = 5 * MINUTE
const MAX_AUDIENCE_CHARS = 500
/** How long relying parties may keep the documents, in seconds. */
const DOCUMENT_AGE = 300

const issuerOf = ({ settings }: Hearth): string => `${settings.site_url}${ID_TOKEN_ISSUER}`

/** The job that asks, which must have `permissions: id-token: write`. */
function requireJob(hearth: Hearth, { request }: ProtocolRequest) {
  const { job_id, run_id } = jobOfRequest(hearth, request)
  const job = findJob(hearth.db, job_id)
  const run = findRun(hearth.db, run_id)
  const plan = job?.plan ? (JSON.parse(job.plan) as JobPlan) : null
  if (!job || !run || plan?.kind !== 'steps') throw notFound('this job')
  if (run.trusted === 0)
    throw new Refusal('forbidden', 'changes by people without Write get no ID tokens', {
      reason: 'role',
    })
  if (!mayHaveIdToken({ plan, isTrusted: true }))
    throw new Refusal('forbidden', 'the job needs `permissions: id-token: write`', {
      reason: 'scope',
    })
  return { job, run, plan }
}

function audienceOf(query: string, fallback: string): string {
  const given = new URLSearchParams(query).get('audience') ?? ''
  if (given.length > MAX_AUDIENCE_CHARS)
    throw invalid('audience', `an audience has at most ${MAX_AUDIENCE_CHARS} characters`)
  return given === '' ? fallback : given
}

async function issue(hearth: Hearth, http: ProtocolRequest): Promise<unknown> {
  const { job, run, plan } = requireJob(hearth, http)
  const claims = claimsOf(hearth, run, job, plan)
  const owner = `${hearth.settings.site_url}/${claims.repository_owner}`
  const { kid, privateKey } = await signingKey(hearth)
  const now = Math.floor(hearth.clock.now() / SECOND)
  const value = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
    .setIssuer(issuerOf(hearth))
    .setAudience(audienceOf(http.query, owner))
    .setJti(crypto.randomUUID())
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + LIFETIME_MS / SECOND)
    .sign(privateKey)
  return { count: value.length, value }
}

const discovery = (hearth: Hearth): unknown => ({
  issuer: issuerOf(hearth),
  jwks_uri: `${issuerOf(hearth)}/.well-known/jwks`,
  subject_types_supported: ['public'],
  response_types_supported: ['id_token'],
  id_token_signing_alg_values_supported: ['RS256'],
  scopes_supported: ['openid'],
  claims_supported: CLAIMS,
})

const CLAIMS = [
  ...['sub', 'aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'ref', 'sha', 'repository', 'repository_id'],
  ...['repository_owner', 'repository_owner_id', 'repository_visibility', 'run_id', 'run_number'],
  ...['run_attempt', 'actor', 'actor_id', 'workflow', 'workflow_ref', 'workflow_sha', 'head_ref'],
  ...['base_ref', 'event_name', 'ref_type', 'ref_protected', 'environment', 'job_workflow_ref'],
  ...['job_workflow_sha', 'runner_environment'],
]

const document = (value: unknown, headers: Record<string, string>): Response =>
  new Response(JSON.stringify(value), {
    headers: { 'content-type': 'application/json', ...headers },
  })

const get = (
  path: string,
  headers: Record<string, string>,
  read: (hearth: Hearth, http: ProtocolRequest) => unknown,
): ProtocolRoute => ({
  path,
  handle: async (hearth, http) => {
    const { method } = http.request
    if (method !== 'GET' && method !== 'HEAD')
      throw new Refusal('method_not_allowed', 'only GET is possible here', {
        headers: { allow: 'GET, HEAD' },
      })
    return document(await read(hearth, http), headers)
  },
})

const PUBLIC = {
  'cache-control': `public, max-age=${DOCUMENT_AGE}`,
  'access-control-allow-origin': '*',
}

export const idTokenRoutes: readonly ProtocolRoute[] = [
  get(ID_TOKEN_PATH, { 'cache-control': 'no-store' }, issue),
  get(`${ID_TOKEN_ISSUER}/.well-known/openid-configuration`, PUBLIC, discovery),
  get(`${ID_TOKEN_ISSUER}/.well-known/jwks`, PUBLIC, async (hearth) => ({
    keys: [(await signingKey(hearth)).jwk],
  })),
]
