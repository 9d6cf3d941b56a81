import { encodePath } from '#lib/percent-encoding.ts'
import { getRepo } from '#features/repos/index.ts'
import { listBranchRules, type BranchRule } from '#features/rulesets/index.ts'
import { Breadcrumbs, EmptyState, LinkButton, List, PageHead, Row } from '../../components/index.ts'
import { localPath, repoPath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { RuleLine } from './summary.tsx'
import { t } from '../../text.ts'

export const branchRulesPath = (repo: string, branch: string): string =>
  repoPath(repo, `/rules/${encodePath(branch)}`)

/** The number of rules of a branch. Null without any, and for a fork. */
export async function countRules(
  visit: Visit,
  repo: string,
  branch: string,
): Promise<number | null> {
  const rules = await visit.tryCall(listBranchRules, { repo, branch })
  return rules === null || rules.items.length === 0 ? null : rules.items.length
}

const byRuleset = (rules: readonly BranchRule[]): BranchRule[][] => [
  ...Map.groupBy(rules, ({ ruleset }) => ruleset.id).values(),
]

export const branchRulesPage = page({
  path: '/:workspace/:repo/rules/*branch',
  load: async (visit) => {
    const [repo, rules] = await Promise.all([
      visit.call(getRepo, { repo: repoOf(visit) }),
      visit.call(listBranchRules, { repo: repoOf(visit), branch: visit.params.branch ?? '' }),
    ])
    return { repo, rules: rules.items, branch: visit.params.branch ?? '' }
  },
  view: ({ repo, rules, branch }, visit) => (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={t('Rules of {branch}', { branch })}
      current="code"
      width="narrow"
    >
      <Breadcrumbs
        parts={[
          { label: t('Branches'), href: repoPath(repo.full_name, '/branches') },
          { label: branch },
          { label: t('Rules') },
        ]}
      />
      <PageHead
        title={t('Rules of {branch}', { branch })}
        lead={t('Rules for pushes to this branch and merges into it.')}
      />
      {rules.length === 0 ? (
        <EmptyState
          icon="shield"
          title={t('No rules')}
          actions={
            repo.permissions.admin && !repo.archived ? (
              <LinkButton href={repoPath(repo.full_name, '/settings/rulesets/new')}>
                {t('New ruleset')}
              </LinkButton>
            ) : undefined
          }
        >
          {t(
            'No ruleset applies to this branch. The branch protection of the repository still does.',
          )}
        </EmptyState>
      ) : (
        byRuleset(rules).map((own) => (
          <List
            label={t('Rules of {name}', { name: own[0]?.ruleset.name ?? '' })}
            head={
              <h2>
                {visit.viewer ? (
                  <a href={localPath(own[0]?.ruleset.html_url ?? '')}>{own[0]?.ruleset.name}</a>
                ) : (
                  own[0]?.ruleset.name
                )}
                {own[0]?.ruleset.level === 'workspace' && (
                  <span class="muted small"> {t('of the workspace')}</span>
                )}
              </h2>
            }
          >
            {own.map((rule) => (
              <Row title={<RuleLine rule={rule} />} />
            ))}
          </List>
        ))
      )}
    </RepoFrame>
  ),
})
