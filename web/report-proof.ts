/**
 * The proof of work of reports without an account. The page signs a challenge, the browser searches
 * for an answer while the reporter writes, and the form brings both. A challenge is for one
 * repository; how often one network may report is the operation's limit.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { HOUR } from '#lib/time.ts'
import { isValidProof } from './crawlers.ts'

/** About one second in a browser. */
export const REPORT_PROOF_BITS = 18
/** A report takes a while to write. */
const LIFETIME_MS = 12 * HOUR

const challengeKey = service('report-challenges', ({ settings }) =>
  hmacSha256(installationKey(settings.data), 'report-challenges'),
)

const sign = (hearth: Hearth, repo: string, until: number): string =>
  `${until}.${Buffer.from(hmacSha256(challengeKey(hearth), `${repo} ${until}`)).toString('base64url')}`

/** Null when the installation asks nobody for work. */
export const reportChallenge = (hearth: Hearth, repo: string): string | null =>
  hearth.settings.limits.proof_of_work ? sign(hearth, repo, hearth.clock.now() + LIFETIME_MS) : null

export function isReportProof(
  hearth: Hearth,
  repo: string,
  { challenge, answer }: { challenge: string; answer: string },
): boolean {
  if (!hearth.settings.limits.proof_of_work) return true
  const until = Number(challenge.slice(0, challenge.indexOf('.')))
  return (
    Number.isSafeInteger(until) &&
    until > hearth.clock.now() &&
    sameBytes(Buffer.from(challenge), Buffer.from(sign(hearth, repo, until))) &&
    /^\d{1,12}$/.test(answer) &&
    isValidProof(challenge, answer, REPORT_PROOF_BITS)
  )
}
