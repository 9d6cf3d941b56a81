// The whole description of a milestone. The list of milestones shows the beginning of a long one.
import { listMilestones, type Milestone } from '#features/issues/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { Breadcrumbs, PageHead } from '../../components/index.ts'
import { repoPath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { LongTextBody, loadLongText, partTitle, rawText } from '../writing/long-text.tsx'
import { markdownOf } from './conversation.tsx'

/** A milestone is looked for among so many of them. */
const MAX_PAGES = 20

async function findMilestone(visit: Visit, id: string): Promise<Milestone | null> {
  for (let number = 1; number <= MAX_PAGES; number++) {
    const { items, next } = await visit.call(listMilestones, {
      repo: repoOf(visit),
      state: 'all',
      page: number,
      per_page: 100,
    })
    const found = items.find((milestone) => milestone.id === id)
    if (found !== undefined) return found
    if (next === null) break
  }
  return null
}

export const milestoneTextPage = page({
  path: '/:workspace/:repo/milestones/:id',
  load: async (visit) => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const milestone = await findMilestone(visit, visit.params.id ?? '')
    if (milestone === null) return null
    const text = milestone.description ?? ''
    const options = markdownOf(visit, repo.full_name)
    return (
      rawText(visit, text) ?? { repo, milestone, text: await loadLongText(visit, text, options) }
    )
  },
  view: ({ repo, milestone, text }, visit) => (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={partTitle(milestone.title, text)}
      current="issues"
      noindex
    >
      <Breadcrumbs
        parts={[
          { label: t('Milestones'), href: repoPath(repo.full_name, '/milestones') },
          { label: milestone.title },
        ]}
      />
      <PageHead title={milestone.title} />
      <LongTextBody visit={visit} text={text} empty={t('No description.')} />
    </RepoFrame>
  ),
})
