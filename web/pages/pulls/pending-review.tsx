// A review that is not sent yet: its pending comments, and the form that sends it.
import {
  ActionButton,
  Badge,
  Button,
  FieldSet,
  Form,
  FormActions,
  MarkdownBody,
  Notice,
  Radio,
  TextArea,
} from '../../components/index.ts'
import { pullPath, textPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import type { LinePosition } from './line-form.tsx'
import { localized, rich, t, tn } from '../../text.ts'

export type Draft = LinePosition & { id: string; start_line: number | null; body: string }

type DraftProps = { draft: Draft; visit: Visit; repo: string; number: number; here: string }

const EditDraft = ({ draft, visit, repo, number, here }: DraftProps) => {
  const action = `${pullPath(repo, number)}/drafts/edit`
  const at = visitForForm(visit, action)
  const refused = at.form.values.text('draft') === draft.id
  return (
    <details class="more" open={refused}>
      <summary>{t('Edit')}</summary>
      <Form
        action={action}
        csrf={visit.csrf}
        label={t('Edit the pending comment')}
        error={refused ? formError(at, 'body') : null}
      >
        <input type="hidden" name="draft" value={draft.id} />
        <input type="hidden" name="back" value={here} />
        <TextArea
          id={`draft-${draft.id}`}
          name="body"
          label={t('Comment')}
          hideLabel
          required
          rows={4}
          markdown={repo}
          value={refused ? at.form.values.text('body') : draft.body}
          error={refused ? fieldError(at, 'body') : null}
        />
        <FormActions>
          <Button small variant="primary">
            {t('Save')}
          </Button>
        </FormActions>
      </Form>
    </details>
  )
}

/** What the page of changes shows of a pending comment. */
export const MAX_DRAFT_BYTES = 5_000

/** A pending comment, which only its author sees. */
export const DraftItem = (props: DraftProps) => {
  const { draft, visit, repo, number, here } = props
  return (
    <div class="review-thread review-draft" id={draft.id}>
      <p class="small muted">
        <Badge tone="wait">{t('Pending')}</Badge>{' '}
        {rich('{start_line}. Only you see this until you submit your review.', {
          start_line:
            draft.start_line === null
              ? t('Line {line}', { line: draft.line })
              : t('Lines {start_line} to {line}', {
                  start_line: draft.start_line,
                  line: draft.line,
                }),
        })}
      </p>
      <MarkdownBody
        text={draft.body}
        options={markdownOf(visit, repo)}
        whole={{ href: textPath(pullPath(repo, number), draft.id), maxBytes: MAX_DRAFT_BYTES }}
      />
      <div class="thread-actions">
        <EditDraft {...props} />
        <ActionButton
          action={`${pullPath(repo, number)}/drafts/delete`}
          csrf={visit.csrf}
          values={{ draft: draft.id, back: here }}
        >
          <Button small variant="quiet" icon="trash">
            {t('Delete')}
          </Button>
        </ActionButton>
      </div>
    </div>
  )
}

const VERDICTS = localized([
  ['comment', 'Comment', 'Feedback without approval.'],
  ['approve', 'Approve', 'The changes can be merged.'],
  ['request_changes', 'Request changes', 'Something must change before the merge.'],
] as const)

/** The fields of a review. `name` makes the ids of one form differ from those of another. */
const ReviewFields = ({ at, repo, name }: { at: Visit; repo: string; name: string }) => {
  const verdict = at.form.values.optional('verdict') ?? 'comment'
  return (
    <>
      <TextArea
        id={`${name}-body`}
        name="review"
        label={t('Summary')}
        rows={4}
        markdown={repo}
        value={at.form.values.text('review')}
        error={fieldError(at, 'body')}
      />
      <FieldSet legend={t('Verdict')} error={fieldError(at, 'verdict')}>
        {VERDICTS.map(([value, label, hint]) => (
          <Radio
            id={`${name}-${value}`}
            name="verdict"
            value={value}
            label={label}
            hint={hint}
            checked={verdict === value}
          />
        ))}
      </FieldSet>
    </>
  )
}

/** The form that submits a review, with the pending comments. `name` begins the ids of its fields. */
export const ReviewForm = ({
  action,
  visit,
  repo,
  name,
  drafts,
  head = null,
  isPrimary = false,
}: {
  action: string
  visit: Visit
  repo: string
  name: string
  drafts: number
  /** The commit that was reviewed; the newest without one. */
  head?: string | null
  isPrimary?: boolean
}) => {
  const at = visitForForm(visit, action)
  return (
    <Form
      action={action}
      csrf={visit.csrf}
      label={t('Review')}
      error={formError(at, 'body', 'verdict')}
    >
      {head !== null && <input type="hidden" name="commit" value={head} />}
      <ReviewFields at={at} repo={repo} name={name} />
      <FormActions>
        <Button variant={isPrimary ? 'primary' : 'plain'}>{t('Submit review')}</Button>
        {drafts > 0 && (
          <span class="muted small">
            {rich('With {comments}.', {
              comments: tn('{count} pending comment', '{count} pending comments', drafts),
            })}
          </span>
        )}
      </FormActions>
    </Form>
  )
}

/** The form that sends all pending comments with a verdict. */
export const FinishBox = ({
  drafts,
  visit,
  repo,
  number,
  head,
  ownPull,
}: {
  drafts: number
  visit: Visit
  repo: string
  number: number
  head: string | null
  ownPull: boolean
}) => {
  const action = `${pullPath(repo, number)}/reviews/finish`
  const at = visitForForm(visit, action)
  if (ownPull)
    return drafts === 0 ? null : (
      <Notice>
        {t(
          'This is your own pull request, so you cannot review it. Send your comments one by one.',
        )}
      </Notice>
    )
  return (
    <details class="menu review-menu" id="finish" open={at.form.error !== null}>
      <summary class="btn btn-primary">
        <span>{t('Review changes')}</span>
        {drafts > 0 && (
          <span class="count">
            {drafts}
            <span class="unseen"> {tn('pending comment', 'pending comments', drafts)}</span>
          </span>
        )}
      </summary>
      <div class="menu-panel menu-roomy">
        <ReviewForm
          action={action}
          visit={visit}
          repo={repo}
          name="finish"
          drafts={drafts}
          head={head}
          isPrimary
        />
      </div>
    </details>
  )
}
