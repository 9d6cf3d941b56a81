import {
  getPull,
  getPullChanges,
  listDraftComments,
  listReviewThreads,
} from '#features/pulls/index.ts'
import { getRepo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  diffAnchor,
  EmptyState,
  Form,
  LinkButton,
  Notice,
  type DiffThread,
} from '../../components/index.ts'
import { pullPath, withQuery } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import {
  changeHref,
  ChangeView,
  choiceInput,
  expandFiles,
  readChoice,
} from '../code/change-view.tsx'
import { numberOf } from '../issues/issue.tsx'
import { repoOf } from '../repos/frame.tsx'
import { codeOf, PullFrame } from './frame.tsx'
import { DraftItem, FinishBox, LineForm, wantedLine } from './line-form.tsx'
import { BATCH, Thread, threadRights } from './threads.tsx'

export const pageNumber = (visit: Visit): number =>
  Math.max(1, Number(visit.url.searchParams.get('page') ?? '1') || 1)

export const changesPage = page({
  path: '/:workspace/:repo/pull/:number/changes',
  load: async (visit) => {
    const number = numberOf(visit)
    if (number === null) return null
    const target = { repo: repoOf(visit), number }
    const query = visit.url.searchParams
    const choice = readChoice(visit.url)
    const since = query.get('since') ?? ''
    const [repo, detail] = await Promise.all([
      visit.call(getRepo, { repo: target.repo }),
      visit.call(getPull, target),
    ])
    const [changes, threads, drafts] = await Promise.all([
      visit.call(getPullChanges, {
        ...target,
        ...(since === '' ? {} : { since }),
        ...choiceInput(choice),
      }),
      visit.call(listReviewThreads, target),
      visit.viewer ? visit.tryCall(listDraftComments, target) : null,
    ])
    // What this reader has seen: the head that they reviewed last.
    const seen =
      detail.reviews.findLast(({ author }) => author.id === visit.viewer?.id)?.commit ?? null
    const files = await expandFiles(
      visit,
      codeOf(detail.pull),
      changes.head_sha,
      changes.files,
      choice,
    )
    return {
      repo,
      pull: detail.pull,
      changes: { ...changes, files },
      threads,
      drafts: drafts ?? [],
      since,
      seen,
      choice,
    }
  },
  view: ({ repo, pull, changes, threads, drafts, since, seen, choice }, visit) => {
    const here = pullPath(repo.full_name, pull.number, 'changes')
    const more = { since }
    const now = changeHref(here, choice, {}, more)
    const head = changes.head_sha
    const rights = threadRights(visit, repo, pull)
    const active = pull.status === 'open' || pull.status === 'draft'
    const mayComment = rights.reply && active && since === ''
    const mine =
      visit.viewer !== null &&
      [pull.author.id, pull.author.on_behalf_of?.id].includes(visit.viewer.id)
    const wanted = mayComment ? wantedLine(visit) : null
    const woven: DiffThread[] = [
      ...threads.flatMap((thread) =>
        thread.line === null
          ? []
          : [
              {
                path: thread.path,
                side: thread.side === 'old' ? ('old' as const) : ('new' as const),
                line: thread.line,
                content: (
                  <Thread
                    thread={thread}
                    visit={visit}
                    repo={repo}
                    number={pull.number}
                    rights={rights}
                    back="changes"
                  />
                ),
              },
            ],
      ),
      ...drafts.map((draft) => ({
        path: draft.path,
        side: draft.side as 'old' | 'new',
        line: draft.line,
        content: (
          <DraftItem
            draft={{ ...draft, side: draft.side as 'old' | 'new' }}
            visit={visit}
            repo={repo.full_name}
            number={pull.number}
          />
        ),
      })),
      ...(wanted
        ? [
            {
              ...wanted,
              content: (
                <LineForm
                  place={wanted}
                  visit={visit}
                  repo={repo.full_name}
                  number={pull.number}
                  files={changes.files}
                  here={now}
                  mine={mine}
                />
              ),
            },
          ]
        : []),
    ]
    const suggestions =
      rights.apply &&
      threads.some(
        ({ comments: [root] }) =>
          root?.suggestion != null && root.suggestion.applied_in === null && !root.outdated,
      )
    return (
      <PullFrame visit={visit} repo={repo} pull={pull} current="changes" width="wide">
        {since !== '' && (
          <Notice>
            Only what changed after <code>{since.slice(0, 7)}</code>.{' '}
            <a href={changeHref(here, choice, { page: 1, parts: [] })}>Show everything</a>
          </Notice>
        )}
        {visit.viewer !== null && active && !repo.archived && (
          <FinishBox
            drafts={drafts.length}
            visit={visit}
            repo={repo.full_name}
            number={pull.number}
            head={head}
            mine={mine}
          />
        )}
        {suggestions && (
          <Form
            id={BATCH}
            action={`${pullPath(repo.full_name, pull.number)}/suggestions`}
            csrf={visit.csrf}
            inline
            label="Apply suggestions together"
          >
            <input type="hidden" name="back" value="changes" />
            <Button small>Apply the ticked suggestions in one commit</Button>
          </Form>
        )}
        {changes.files.length === 0 ? (
          <EmptyState
            icon="file"
            title={since === '' ? 'No changes yet' : 'Nothing has changed since'}
          >
            {since === ''
              ? 'Push commits to this pull request, and they show here.'
              : 'The change is what it was at that commit.'}
          </EmptyState>
        ) : (
          <ChangeView
            files={changes.files}
            totals={changes.totals}
            choice={choice}
            here={here}
            more={more}
            place={{
              repo: codeOf(pull),
              sha: head,
              ...(since === '' ? { from: changes.merge_base_sha } : {}),
            }}
            head={
              seen !== null &&
              seen !== head &&
              since === '' && (
                <LinkButton
                  href={changeHref(here, choice, { page: 1, parts: [] }, { since: seen })}
                  small
                >
                  Since your review
                </LinkButton>
              )
            }
            options={{
              threads: woven,
              ...(mayComment
                ? {
                    commentHref: (file, side, line) =>
                      `${withQuery(now, { on: file, side, line })}#line-comment`,
                  }
                : {}),
              ...(visit.viewer === null
                ? {}
                : {
                    fileActions: (file) => (
                      <ActionButton
                        action={`${pullPath(repo.full_name, pull.number)}/viewed`}
                        csrf={visit.csrf}
                        values={{
                          path: file.path,
                          viewed: file.viewed ? 'no' : 'yes',
                          back: `${now}#${diffAnchor(file.path)}`,
                        }}
                      >
                        <Button small look="quiet" icon={file.viewed ? 'check' : 'eye'}>
                          {file.viewed ? 'Viewed' : 'Mark as viewed'}
                        </Button>
                      </ActionButton>
                    ),
                  }),
            }}
          />
        )}
      </PullFrame>
    )
  },
})
