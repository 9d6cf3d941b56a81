// Offers to require pull requests from admins too, when others begin to work on the repository.
import { getRepoSettings, updateRepoSettings, type Repo } from '#features/repos/index.ts'
import { ActionButton, Button, Notice } from '../../components/index.ts'
import { repoPath } from '../../paths.ts'
import { action, redirectWithFlash, type Visit } from '../../site.ts'
import { repoOf } from './frame.tsx'
import { t } from '../../text.ts'

/** Whether admins may push to the protected default branch, and the viewer can change that. */
export const mayProtectMore = async (visit: Visit, repo: Repo): Promise<boolean> =>
  repo.permissions.admin &&
  repo.protected &&
  !repo.archived &&
  (await visit.tryCall(getRepoSettings, { repo: repo.full_name }))?.admins_may_push === true

export const StricterProtection = ({ visit, repo }: { visit: Visit; repo: Repo }) => (
  <Notice
    title={t('Admins can push to {default_branch} without review', {
      default_branch: repo.default_branch,
    })}
  >
    <p>
      {t(
        'Members without the role Admin and agents already open pull requests. You can require them from admins too.',
      )}
    </p>
    <ActionButton action={repoPath(repo.full_name, '/settings/protection')} csrf={visit.csrf}>
      <Button small icon="shield">
        {t('Require pull requests from admins')}
      </Button>
    </ActionButton>
  </Notice>
)

export const stricterProtectionForm = action({
  path: '/:workspace/:repo/settings/protection',
  submit: async (visit) => {
    const repo = repoOf(visit)
    await visit.call(updateRepoSettings, { repo, admins_may_push: false })
    return redirectWithFlash(visit, repoPath(repo, '/settings#protection'), 'admins-propose')
  },
})
