// The branches that were pushed a moment ago and have no pull request yet: the next step for whoever
// pushed.
import { listBranches, type Branch, type Repo } from '#features/repos/index.ts'
import { HOUR } from '#lib/time.ts'
import { Icon, LinkButton, RelativeTime } from '../../components/index.ts'
import { repoPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { isFork } from '../code/frame.tsx'
import { rich, t } from '../../text.ts'

const MAX_AGE_MS = HOUR
/** The default branch, which comes first, and those that moved last. */
const MAX_BRANCHES = 3

export async function loadRecentBranches(visit: Visit, repo: Repo): Promise<Branch[]> {
  if (!visit.viewer || !repo.permissions.write || repo.archived || isFork(repo)) return []
  const found = await visit.tryCall(listBranches, {
    repo: repo.full_name,
    per_page: MAX_BRANCHES,
  })
  const since = visit.hearth.clock.now() - MAX_AGE_MS
  return (found?.items ?? []).filter(
    (branch) =>
      !branch.default &&
      branch.pull === null &&
      branch.ahead > 0 &&
      Date.parse(branch.updated_at) > since,
  )
}

export const RecentBranches = ({ repo, branches }: { repo: Repo; branches: readonly Branch[] }) => (
  <>
    {branches.map(({ name, updated_at }) => (
      <div class="recent-branch" role="group" aria-label={t('Pushed branch {name}', { name })}>
        <span>
          <Icon name="branch" /> <strong class="mono">{name}</strong>{' '}
          <span class="muted">
            {rich('was pushed {time}', { time: <RelativeTime at={updated_at} /> })}
          </span>
        </span>
        <LinkButton
          href={withQuery(repoPath(repo.full_name, '/pulls/new'), { branch: name })}
          variant="primary"
          small
          icon="pull"
        >
          {t('Create pull request')}
        </LinkButton>
      </div>
    ))}
  </>
)
