import { getUser } from '#features/accounts/index.ts'
import { getContributions } from '#features/overview/index.ts'
import { listRepos, listUserRepos } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { LinkButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/card.tsx'
import { Pager } from '../../components/pagination.tsx'
import { List, RepoRow } from '../../components/rows.tsx'
import { withQuery, workspacePath } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { page, redirect } from '../../site.ts'
import { WorkspaceFrame, type WorkspaceSummary } from './frame.tsx'
import { ContributionYear } from './contributions.tsx'
import { PersonView } from './person.tsx'
import { rich, t } from '../../text.ts'

/** Workspaces and users share one namespace of addresses. */
export const workspacePage = page({
  path: '/:workspace',
  load: async (visit) => {
    const slug = visit.params.workspace ?? ''
    const number = pageNumber(visit)
    const record = await visit.tryCall(getWorkspace, { workspace: slug })
    // A user's own workspace may have their name; their contributions are shown there.
    const contributions =
      number === 1 ? await visit.tryCall(getContributions, { username: slug.toLowerCase() }) : null
    const repos = await visit.call(listRepos, { workspace: slug, page: number, sort: 'pushed' })
    if (record)
      return {
        kind: 'workspace' as const,
        workspace: record as WorkspaceSummary,
        repos,
        number,
        contributions,
      }
    // Others see only public repositories. Without any, the workspace does not exist for them.
    const [first] = repos.items
    if (first && first.workspace !== slug.toLowerCase())
      return redirect(workspacePath(first.workspace), 301)
    if (first) {
      return {
        kind: 'workspace' as const,
        workspace: {
          slug,
          name: slug,
          description: '',
          role: null,
          member_count: null,
        } satisfies WorkspaceSummary,
        repos,
        number,
        contributions,
      }
    }
    const person = await visit.tryCall(getUser, { username: slug })
    return (
      person && {
        kind: 'person' as const,
        contributions,
        person,
        made: await visit.call(listUserRepos, { username: person.username, page: number }),
        number,
      }
    )
  },
  view: (data, visit) => {
    if (data.kind === 'person') return <PersonView data={data} visit={visit} />
    const { workspace, repos, number, contributions } = data
    return (
      <WorkspaceFrame
        visit={visit}
        workspace={workspace}
        title={workspace.name}
        current="repositories"
      >
        <h1 class="unseen">{rich('Repositories of {name}', { name: workspace.name })}</h1>
        {repos.items.length === 0 ? (
          <EmptyState
            icon="repo"
            title={t('No repositories yet')}
            actions={
              <LinkButton
                href={`/new?workspace=${encodeURIComponent(workspace.slug)}`}
                variant="primary"
              >
                {t('Create repository')}
              </LinkButton>
            }
          >
            {t('Repositories of this workspace are listed here.')}
          </EmptyState>
        ) : (
          <List label={t('Repositories')}>
            {repos.items.map((repo) => (
              <RepoRow repo={repo} short />
            ))}
          </List>
        )}
        <Pager
          newer={number > 1 ? withQuery(workspacePath(workspace.slug), { page: number - 1 }) : null}
          older={
            repos.next === null
              ? null
              : withQuery(workspacePath(workspace.slug), { page: number + 1 })
          }
        />
        {contributions !== null && contributions.total > 0 && (
          <ContributionYear contributions={contributions} />
        )}
      </WorkspaceFrame>
    )
  },
})
