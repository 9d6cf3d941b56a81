// Creates the token for the first push.
import { createSettingsToken } from '#features/accounts/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { pageResponse, action } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { TOKEN_DAYS, firstPushLive, FirstSteps, loadAdminsMayPush } from './first-steps.tsx'
import { repoPage } from './tree.tsx'

/**
 * Responds with the page and not with a redirect, because the secret is shown once and not stored.
 */
export const firstTokenForm = action({
  path: '/:workspace/:repo/first-token',
  page: repoPage,
  submit: async (visit) => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const { secret } = await visit.call(createSettingsToken, {
      name: `git for ${repo.full_name}`.slice(0, 64),
      expires: TOKEN_DAYS,
      scopes: ['code:read', 'code:write'],
      repos: [repo.full_name],
    })
    const adminsMayPush = await loadAdminsMayPush(visit, repo)
    const shown = (
      <RepoFrame
        visit={visit}
        repo={repo}
        title={repo.full_name}
        current="code"
        live={firstPushLive(repo)}
      >
        <h1 class="unseen">{repo.full_name}</h1>
        <FirstSteps
          repo={repo}
          visit={visit}
          adminsMayPush={adminsMayPush}
          secret={secret ?? null}
        />
      </RepoFrame>
    )
    return pageResponse(visit, shown)
  },
})
