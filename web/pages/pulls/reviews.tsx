// Reviews in the conversation of a pull request, and the form that sends one.
import type { PullOverview, Review } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  ActorLink,
  Badge,
  Button,
  Card,
  Comment,
  changedLineHref,
  Field,
  Form,
  FormActions,
  MarkdownBody,
  TimelineEvent,
  type Tone,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { pullPath, textPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { fieldError, formError } from '../shell.tsx'
import { ReviewForm } from './pending-review.tsx'
import { Thread, threadRights, type ReviewThread } from './threads.tsx'
import { localized, rich, t, texts } from '../../text.ts'

const VERDICT_STYLES: Record<Review['verdict'], { verb: string; tone?: Tone }> = localized({
  approve: { verb: 'approved', tone: 'good' },
  request_changes: { verb: 'requested changes', tone: 'bad' },
  comment: { verb: 'reviewed' },
})

const NOT_COUNTED_REASONS: Record<NonNullable<Review['why_not_counted']>, string> = texts({
  own: 'their own',
  no_write: 'without write access',
  agent: 'by an agent',
  stale: 'of an earlier version',
  pushed: 'they pushed to it',
  dismissed: 'dismissed',
})

/** The form that dismisses a review. Everyone sees the reason. */
const Dismiss = ({ review, visit, here }: { review: Review; visit: Visit; here: string }) => {
  const refused = visit.form.values.text('review_id') === review.id
  return (
    <details class="more" open={refused}>
      <summary>{t('Dismiss this review')}</summary>
      <Form
        action={`${here}/reviews/dismiss`}
        csrf={visit.csrf}
        label={t('Dismiss this review')}
        error={refused ? formError(visit, 'reason') : null}
      >
        <input type="hidden" name="review_id" value={review.id} />
        <Field
          id={`dismiss-${review.id}`}
          name="reason"
          label={t('Why')}
          required
          maxlength={2_000}
          value={refused ? visit.form.values.text('reason') : ''}
          error={refused ? fieldError(visit, 'reason') : null}
        />
        <FormActions>
          <Button small variant="danger">
            {t('Dismiss')}
          </Button>
        </FormActions>
      </Form>
    </details>
  )
}

/** What the conversation shows of the text of a review. */
export const MAX_REVIEW_BYTES = 8_000

type ReviewProps = {
  review: Review
  visit: Visit
  repo: string
  /** The address of the pull request. */
  here: string
  mayDismiss: boolean
}

const ReviewBody = ({ review, visit, repo, here }: ReviewProps) => (
  <>
    <MarkdownBody
      text={review.body}
      options={markdownOf(visit, repo, review.author)}
      empty={t('No summary.')}
      whole={{ href: textPath(here, review.id), maxBytes: MAX_REVIEW_BYTES }}
    />
    {review.dismissed && (
      <p class="muted">
        {rich('Dismissed{by}: {reason}', {
          by: review.dismissed.by && (
            <>
              {' '}
              {rich('by {actor}', { actor: <ActorLink of={review.dismissed.by} face={false} /> })}
            </>
          ),
          reason: review.dismissed.reason,
        })}
      </p>
    )}
  </>
)

const ReviewComment = (props: ReviewProps) => {
  const { review, visit, here, mayDismiss } = props
  const style = VERDICT_STYLES[review.verdict]
  return (
    <Comment
      id={review.id}
      author={review.author}
      at={review.created_at}
      tone={style.tone}
      verb={style.verb}
      role={
        review.verdict !== 'comment' && review.why_not_counted
          ? t('Does not count: {notCountedReasons}', {
              notCountedReasons: NOT_COUNTED_REASONS[review.why_not_counted],
            })
          : undefined
      }
      body={<ReviewBody {...props} />}
      footer={
        mayDismiss && review.verdict !== 'comment' && review.dismissed === null ? (
          <Dismiss review={review} visit={visit} here={here} />
        ) : undefined
      }
    />
  )
}

/** A review with the conversations that it began. Without a text of its own it is one line. */
export const ReviewItem = ({ threads, ...props }: ReviewProps & { threads: Child }) => {
  const { review } = props
  return (
    <>
      {review.body.trim() === '' && review.verdict === 'comment' ? (
        <TimelineEvent id={review.id} icon="comment" actor={review.author} at={review.created_at}>
          {VERDICT_STYLES[review.verdict].verb}
        </TimelineEvent>
      ) : (
        <ReviewComment {...props} />
      )}
      {threads}
    </>
  )
}

/** A conversation on a line, with a link to the line. */
export const ThreadItem = ({
  thread,
  visit,
  repo,
  data,
}: {
  thread: ReviewThread
  visit: Visit
  repo: Repo
  data: PullOverview
}) => {
  const [root] = thread.comments
  const where = `${thread.path}:${thread.line ?? root?.line ?? ''}`
  const line = `${thread.side === 'old' ? 'L' : 'R'}${thread.line ?? ''}`
  const href = changedLineHref(pullPath(repo.full_name, data.number, 'changes'), thread.path, line)
  return (
    <li class="timeline-thread">
      <Thread
        thread={thread}
        visit={visit}
        repo={repo}
        number={data.number}
        back=""
        rights={threadRights(visit, repo, data)}
        head={
          <p class="thread-place">
            {thread.line === null ? (
              <>
                <code>{where}</code> <Badge>{t('Outdated')}</Badge>
              </>
            ) : (
              <a href={href}>
                <code>{where}</code>
              </a>
            )}
          </p>
        }
      />
    </li>
  )
}

/** The form of a review, on the conversation page. */
export const ReviewBox = ({
  here,
  visit,
  repo,
  drafts,
}: {
  here: string
  visit: Visit
  repo: string
  drafts: number
}) => (
  <Card title={t('Review')}>
    <ReviewForm
      action={`${here}/reviews`}
      visit={visit}
      repo={repo}
      name="review"
      drafts={drafts}
    />
  </Card>
)
