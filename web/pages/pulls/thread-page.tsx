// All comments of a thread. Other pages show some of those of a long one.
import { listReviewThreads } from '#features/pulls/index.ts'
import { Breadcrumbs, PageHead } from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import { page } from '../../site.ts'
import { t } from '../../text.ts'
import { CommentItem } from '../issues/conversation.tsx'
import { pageOfRows, RowSteps } from '../row-form.tsx'
import { loadPullRecord } from './commits.tsx'
import { PullFrame } from './frame.tsx'
import { MAX_THREAD_TEXT_BYTES, threadPath, threadRights } from './threads.tsx'

const COMMENTS_PER_PAGE = 8

export const threadPage = page({
  path: '/:workspace/:repo/pull/:number/thread/:id',
  load: async (visit) => {
    const found = await loadPullRecord(visit)
    if (!found) return null
    const threads = await visit.call(listReviewThreads, found.target)
    const id = visit.params.id ?? ''
    const thread = threads.find(({ comments: [root] }) => root?.id === id)
    if (thread === undefined) return null
    return { ...found, id, thread, comments: pageOfRows(visit, thread.comments, COMMENTS_PER_PAGE) }
  },
  view: ({ repo, pull, id, thread, comments }, visit) => {
    const here = pullPath(repo.full_name, pull.number)
    const rights = threadRights(visit, repo, pull)
    return (
      <PullFrame visit={visit} repo={repo} pull={pull} current="conversation">
        <Breadcrumbs
          parts={[
            { label: t('Conversation'), href: `${here}#${id}` },
            { label: `${thread.path}:${thread.line ?? thread.comments[0]?.line ?? ''}` },
          ]}
        />
        <PageHead level={2} title={t('All comments')} />
        <ol class="thread-comments">
          {comments.items.map((comment) => (
            <CommentItem
              comment={comment}
              visit={visit}
              repo={repo.full_name}
              here={here}
              mayChange={rights.change}
              mayReact={rights.reply}
              maxBytes={MAX_THREAD_TEXT_BYTES}
            />
          ))}
        </ol>
        <RowSteps
          list={comments}
          here={threadPath(repo.full_name, pull.number, id)}
          label={t('Comments')}
        />
      </PullFrame>
    )
  },
})
