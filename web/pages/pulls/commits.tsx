import { readPull, listPullCommits } from '#features/pulls/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { CommitRow, EmptyState, List, Pager } from '../../components/index.ts'
import { pullPath, withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { page, type Visit } from '../../site.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { codeOf, PullFrame } from './frame.tsx'
import { t } from '../../text.ts'

/** Loads the pull request of an address with its repository. Null when there is none. */
export const loadPullRecord = async (visit: Visit) => {
  const number = numberOf(visit)
  if (number === null) return null
  const name = repoOf(visit)
  const [repo, data] = await Promise.all([
    visit.call(getRepo, { repo: name }),
    visit.call(readPull, { repo: name, number }),
  ])
  return { repo, pull: data.pull, target: { repo: name, number } }
}

export const pullCommitsPage = page({
  path: '/:workspace/:repo/pull/:number/commits',
  load: async (visit) => {
    const found = await loadPullRecord(visit)
    if (!found) return null
    const number = pageNumber(visit)
    return {
      ...found,
      number,
      commits: await visit.call(listPullCommits, { ...found.target, page: number }),
    }
  },
  view: ({ repo, pull, commits, number }, visit) => {
    const here = pullPath(repo.full_name, pull.number, 'commits')
    return (
      <PullFrame visit={visit} repo={repo} pull={pull} current="commits">
        {commits.items.length === 0 ? (
          <EmptyState icon="commit" title={t('No commits yet')}>
            {t('Push to this pull request’s remote.')}
          </EmptyState>
        ) : (
          <List label={t('Commits')}>
            {commits.items.map((commit) => (
              <CommitRow commit={commit} repo={codeOf(pull)} />
            ))}
          </List>
        )}
        <Pager
          newer={number > 1 ? withQuery(here, { page: number - 1 }) : null}
          older={commits.next === null ? null : withQuery(here, { page: number + 1 })}
        />
      </PullFrame>
    )
  },
})
