// The statuses that other systems reported for a commit.
import { getCommitStatus, type CombinedStatus } from '#features/statuses/index.ts'
import { CheckState } from '../../components/index.ts'
import type { Visit } from '../../site.ts'

/** The statuses of a commit. Null without any. */
export async function statusesOf(
  visit: Visit,
  repo: string,
  sha: string | null,
): Promise<CombinedStatus | null> {
  const combined = sha === null ? null : await visit.tryCall(getCommitStatus, { repo, ref: sha })
  return combined !== null && combined.total > 0 ? combined : null
}

const LOOKS = {
  pending: 'running',
  success: 'success',
  failure: 'failure',
  error: 'error',
} as const

export const StatusList = ({ statuses }: { statuses: CombinedStatus['statuses'] }) => (
  <ul class="bare-list">
    {statuses.map((status) => (
      <li>
        <CheckState status={LOOKS[status.state]} bare />{' '}
        {status.target_url === null ? (
          status.context
        ) : (
          <a href={status.target_url} rel="nofollow noopener">
            {status.context}
          </a>
        )}
        {status.description !== null && <span class="muted small"> {status.description}</span>}
      </li>
    ))}
  </ul>
)
