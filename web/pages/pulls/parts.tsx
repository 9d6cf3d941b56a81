import { getPull, getPullChanges, getPullChecks, getSession, listPullCommits } from '#features/pulls/index.ts'
import { getRepo } from '#features/repos/index.ts'
import {
  Card, CheckState, CommitRow, DiffView, Duration, EmptyState, LinkButton, List, MarkdownBody, Notice, Pager, Row, SessionStory,
} from '../../components/index.ts'
import { codePath, commitPath, pullPath, withQuery } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { numberOf } from '../issues/issue.tsx'
import { repoOf } from '../repos/frame.tsx'
import { codeOf, PullFrame } from './frame.tsx'

const both = async (visit: Visit) => {
  const number = numberOf(visit)
  if (number === null) return null
  const name = repoOf(visit)
  const [repo, data] = await Promise.all([visit.call(getRepo, { repo: name }), visit.call(getPull, { repo: name, number })])
  return { repo, pull: data.pull, target: { repo: name, number } }
}

const pageNumber = (visit: Visit): number => Math.max(1, Number(visit.url.searchParams.get('page') ?? '1') || 1)

const FILES_PER_PAGE = 100

export const changesPage = page({
  path: '/:workspace/:repo/pull/:number/changes',
  load: async (visit) => {
    const found = await both(visit)
    if (!found) return null
    const path = visit.url.searchParams.get('path')
    const number = pageNumber(visit)
    const changes = await visit.call(getPullChanges, { ...found.target, ...(path ? { path } : {}), page: number, per_page: FILES_PER_PAGE })
    return { ...found, changes, number, path, split: visit.url.searchParams.get('view') === 'split' }
  },
  view: ({ repo, pull, changes, number, path, split }, visit) => {
    const here = pullPath(repo.full_name, pull.number, 'changes')
    const head = changes.head_sha
    return (
      <PullFrame visit={visit} repo={repo} pull={pull} current="changes" width="wide">
        {path !== null && (
          <Notice>
            Only <code>{path}</code>. <a href={here}>Show all files</a>
          </Notice>
        )}
        {changes.files.length === 0 ? (
          <EmptyState icon="file" title="No changes yet">Push commits to this pull request, and they show here.</EmptyState>
        ) : (
          <DiffView
            files={changes.files} totals={changes.totals}
            head={<LinkButton href={withQuery(here, { view: split ? undefined : 'split', page: number > 1 ? number : undefined })} small>{split ? 'One column' : 'Side by side'}</LinkButton>}
            options={{
              split,
              loadHref: (file) => withQuery(here, { path: file }),
              fileHref: (file) => (head === null || file.status === 'removed' || file.mode === '160000' ? null : codePath(codeOf(pull), 'blob', head, file.path)),
            }}
          />
        )}
        <Pager
          newer={number > 1 ? withQuery(here, { page: number - 1 }) : null}
          older={number * FILES_PER_PAGE < changes.totals.files && path === null ? withQuery(here, { page: number + 1 }) : null} label="Files"
        />
      </PullFrame>
    )
  },
})

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

export const checksPage = page({
  path: '/:workspace/:repo/pull/:number/checks',
  load: async (visit) => {
    const found = await both(visit)
    return found && { ...found, checks: await visit.call(getPullChecks, found.target) }
  },
  view: ({ repo, pull, checks }, visit) => (
    <PullFrame visit={visit} repo={repo} pull={pull} current="checks">
      {checks.results.length === 0 ? (
        <EmptyState icon="check-circle" title="No checks have run">
          Acceptance checks are commands of the issue that must pass for this change to be accepted.
        </EmptyState>
      ) : (
        <Card title={<CheckState status={checks.status} />} flush>
          <List label="Checks">
            {checks.results.map((result) => (
              <Row title={<code>{result.command}</code>} meta={result.duration_ms === null ? undefined : <Duration milliseconds={result.duration_ms} />} end={<CheckState status={result.status} />}>
                {result.output_tail !== '' && <pre tabindex="0">{result.output_tail}</pre>}
              </Row>
            ))}
          </List>
        </Card>
      )}
    </PullFrame>
  ),
})
