// One issue of a plan that has more than the page of the plan shows of it.
import { getPlan } from '#features/plans/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { Breadcrumbs, PageHead } from '../../components/index.ts'
import { DirectResponse, page } from '../../site.ts'
import { t } from '../../text.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { LongTextBody, loadLongText, partTitle, rawText } from '../writing/long-text.tsx'
import { IssueFacts } from './plan-tree.tsx'
import { planPath } from './plans.tsx'

export const planIssuePage = page({
  path: '/:workspace/:repo/plans/:plan/issues/:position',
  load: async (visit) => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const plan = await visit.call(getPlan, {
      repo: repo.full_name,
      plan: visit.params.plan ?? '',
    })
    const issue = plan.issues.find(({ position }) => String(position) === visit.params.position)
    if (issue === undefined) return null
    const typed = rawText(visit, issue.body)
    if (typed instanceof DirectResponse) return typed
    const options = markdownOf(visit, repo.full_name, plan.created_by)
    return { repo, plan, issue, text: await loadLongText(visit, issue.body, options) }
  },
  view: ({ repo, plan, issue, text }, visit) => (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={partTitle(issue.title, text)}
      current="issues"
      noindex
    >
      <Breadcrumbs
        parts={[
          { label: t('Plan'), href: planPath(repo.full_name, plan.id) },
          { label: issue.title },
        ]}
      />
      <PageHead title={issue.title} />
      <IssueFacts issue={issue} />
      <LongTextBody visit={visit} text={text} empty={t('No description.')} />
    </RepoFrame>
  ),
})
