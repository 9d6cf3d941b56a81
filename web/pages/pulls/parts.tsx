import { getPull, getSession, listPullCommits } from '#features/pulls/index.ts'
import { getRepo } from '#features/repos/index.ts'
import {
  CommitRow, EmptyState, List, MarkdownBody, Notice, Pager, SessionStory,
} from '../../components/index.ts'
import { commitPath, pullPath, withQuery } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { numberOf } from '../issues/issue.tsx'
import { repoOf } from '../repos/frame.tsx'
import { pageNumber } from './changes.tsx'
import { codeOf, PullFrame } from './frame.tsx'

const both = async (visit: Visit) => {
  const number = numberOf(visit)
  if (number === null) return null
  const name = repoOf(visit)
  const [repo, data] = await Promise.all([visit.call(getRepo, { repo: name }), visit.call(getPull, { repo: name, number })])
  return { repo, pull: data.pull, target: { repo: name, number } }
}

export const pullCommitsPage = page({
  path: '/:workspace/:repo/pull/:number/commits',
  load: async (visit) => {
    const found = await both(visit)
    if (!found) return null
    const number = pageNumber(visit)
    return { ...found, number, commits: await visit.call(listPullCommits, { ...found.target, page: number }) }
  },
  view: ({ repo, pull, commits, number }, visit) => {
    const here = pullPath(repo.full_name, pull.number, 'commits')
    return (
      <PullFrame visit={visit} repo={repo} pull={pull} current="commits">
        {commits.items.length === 0 ? (
          <EmptyState icon="commit" title="No commits yet">Push to this pull request’s remote.</EmptyState>
        ) : (
          <List label="Commits">
            {commits.items.map((commit) => (
              <CommitRow commit={commit} repo={codeOf(pull)} />
            ))}
          </List>
        )}
        <Pager newer={number > 1 ? withQuery(here, { page: number - 1 }) : null} older={commits.next === null ? null : withQuery(here, { page: number + 1 })} />
      </PullFrame>
    )
  },
})

export const sessionPage = page({
  path: '/:workspace/:repo/pull/:number/session',
  load: async (visit) => {
    const found = await both(visit)
    if (!found) return null
    const after = Math.max(0, Number(visit.url.searchParams.get('after') ?? '0') || 0)
    const session = await visit.tryCall(getSession, { ...found.target, after, per_page: 500 })
    return { ...found, session, after }
  },
  view: ({ repo, pull, session, after }, visit) => {
    const here = pullPath(repo.full_name, pull.number, 'session')
    return (
      <PullFrame visit={visit} repo={repo} pull={pull} current="session">
        {session === null ? (
          <Notice>This session is shown to members only.</Notice>
        ) : session.items.length === 0 ? (
          <EmptyState icon="spark" title="No session yet">
            A session records how the change was made. Agents write it as they work; anyone may with <code>append_session</code>.
          </EmptyState>
        ) : (
          <SessionStory
            entries={session.items} commitHref={(sha: string) => commitPath(codeOf(pull), sha)}
            render={(text: string) => <MarkdownBody text={text} options={markdownOf(visit, repo.full_name)} />}
          />
        )}
        <Pager newer={after > 0 ? here : null} older={session?.next ? withQuery(here, { after: Number(session.next) }) : null} label="Entries" />
      </PullFrame>
    )
  },
})
