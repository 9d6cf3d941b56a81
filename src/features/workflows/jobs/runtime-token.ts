/**
 * The runtime token of a job (`ACTIONS_RUNTIME_TOKEN`): a JWT, because stock clients of the results
 * service read the ids of run and job from its claim `scp`. It is signed with HMAC-SHA-256 under a
 * key derived from the installation key. It names the token of the job, so it ends with that.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { SECOND } from '#lib/time.ts'
import { findJob } from './store-jobs.ts'
import { findJobOfToken, listTokensOfJob } from './store-tokens.ts'

const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
const MAX_TOKEN_CHARS = 2_048

const runtimeKey = service('runtime token key', ({ settings }) =>
  hmacSha256(installationKey(settings.data), 'runtime tokens of jobs'),
)

const signatureOf = (hearth: Hearth, text: string): Uint8Array =>
  hmacSha256(runtimeKey(hearth), text)

type Claims = { readonly jti: string; readonly sub: string }

/**
 * The same text as long as a runner has the job, so that a log hides it after a restart too. Null
 * for a job that does not run.
 */
export function runtimeToken(hearth: Hearth, job_id: string): string | null {
  const job = findJob(hearth.db, job_id)
  const jti = listTokensOfJob(hearth.db, job_id).toSorted().at(-1)
  if (job?.status !== 'in_progress' || jti === undefined) return null
  const claims = {
    iss: hearth.settings.site_url,
    sub: job.id,
    jti,
    iat: Math.floor(Date.parse(job.started_at ?? '1970-01-01') / SECOND),
    scp: `Actions.Results:${job.run_id}:${job.id}`,
    // Gitea's runner reads the job from here.
    JobID: job.id,
  }
  const text = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${text}.${Buffer.from(signatureOf(hearth, text)).toString('base64url')}`
}

const refused = (): Refusal =>
  new Refusal('unauthenticated', 'the token is not that of a job that runs', {
    headers: { 'www-authenticate': 'Bearer' },
  })

function claimsOf(hearth: Hearth, token: string): Claims | null {
  if (token.length > MAX_TOKEN_CHARS) return null
  const end = token.lastIndexOf('.')
  const text = token.slice(0, Math.max(0, end))
  const given = Buffer.from(token.slice(end + 1), 'base64url')
  if (!sameBytes(signatureOf(hearth, text), given)) return null
  return JSON.parse(Buffer.from(text.slice(HEADER.length + 1), 'base64url').toString()) as Claims
}

const isAlive = (db: Db, { jti, sub }: Claims): boolean => findJobOfToken(db, jti) === sub

export type RunningJob = { readonly job_id: string; readonly run_id: string }

/** The job of the runtime token that a request has. Throws 401 for any other token. */
export function jobOfRequest(hearth: Hearth, { headers }: Pick<Request, 'headers'>): RunningJob {
  const [, token = ''] = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  const claims = claimsOf(hearth, token)
  const job = claims && isAlive(hearth.db, claims) ? findJob(hearth.db, claims.sub) : null
  if (job?.status !== 'in_progress') throw refused()
  return { job_id: job.id, run_id: job.run_id }
}
