// The comment form below a line of a change, and the pending comments of a review.
import type { PullChanges } from '#features/pulls/index.ts'
import {
  ActionButton,
  Badge,
  Button,
  Card,
  Field,
  FieldSet,
  Form,
  FormActions,
  MarkdownBody,
  Notice,
  Radio,
  TextArea,
} from '../../components/index.ts'
import { pullPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { fieldError, visitForForm, formError } from '../shell.tsx'

export type LinePosition = { path: string; side: 'old' | 'new'; line: number }
export type Draft = LinePosition & { id: string; start_line: number | null; body: string }

/** The line that the address or a refused form is about. */
export function requestedLine(visit: Visit): LinePosition | null {
  const { values } = visit.form
  const query = visit.url.searchParams
  const word = (name: string) =>
    values.has('line') ? values.text(name) : (query.get(name === 'path' ? 'on' : name) ?? '')
  const line = Number(word('line'))
  const path = word('path')
  return path !== '' && Number.isInteger(line) && line > 0
    ? { path, line, side: word('side') === 'old' ? 'old' : 'new' }
    : null
}

/** The text of a line in the new version. */
const textAt = (files: PullChanges['files'], { path, line }: LinePosition): string | null =>
  files
    .find((file) => file.path === path)
    ?.hunks.flatMap((hunk) => hunk.lines)
    .find((one) => one.new === line)?.text ?? null

const LineFormActions = ({ here, ownPull }: { here: string; ownPull: boolean }) => (
  <FormActions>
    {!ownPull && (
      <Button variant="primary" name="then" value="draft">
        Add to your review
      </Button>
    )}
    <Button variant={ownPull ? 'primary' : 'plain'} name="then" value="now">
      Comment now
    </Button>
    <a href={here}>Cancel</a>
  </FormActions>
)

const LineBody = ({
  repo,
  at,
  here,
  place,
  start,
  suggesting,
  text,
}: {
  repo: string
  at: Visit
  here: string
  place: LinePosition
  start: string
  suggesting: boolean
  text: string | null
}) => (
  <TextArea
    name="body"
    id="line-body"
    label={`Comment on line ${place.line}`}
    required
    rows={5}
    autofocus
    markdown={repo}
    value={start}
    error={fieldError(at, 'body') ?? fieldError(at, 'line')}
    hint={
      text === null || suggesting ? undefined : (
        <a
          href={`${withQuery(here, { on: place.path, side: place.side, line: place.line, suggest: 1 })}#line-comment`}
        >
          Suggest other text for this line
        </a>
      )
    }
  />
)

interface LineFormProps {
  place: LinePosition
  visit: Visit
  repo: string
  number: number
  files: PullChanges['files']
  here: string
  /** The pull request is the visitor's own, which they cannot review. */
  ownPull: boolean
}

export const LineForm = ({ place, visit, repo, number, files, here, ownPull }: LineFormProps) => {
  const action = `${pullPath(repo, number)}/lines`
  const at = visitForForm(visit, action)
  const text = place.side === 'new' ? textAt(files, place) : null
  const suggesting = visit.url.searchParams.has('suggest') && text !== null
  const start = at.form.values.has('body')
    ? at.form.values.text('body')
    : suggesting
      ? `\`\`\`suggestion\n${text}\n\`\`\`\n`
      : ''
  return (
    <div id="line-comment">
      <Form
        action={action}
        csrf={visit.csrf}
        label={`Comment on line ${place.line} of ${place.path}`}
        error={formError(at, 'body', 'start_line', 'line')}
      >
        <input type="hidden" name="path" value={place.path} />
        <input type="hidden" name="line" value={String(place.line)} />
        <input type="hidden" name="side" value={place.side} />
        <LineBody
          repo={repo}
          at={at}
          here={here}
          place={place}
          start={start}
          suggesting={suggesting}
          text={text}
        />
        <Field
          name="start_line"
          id="line-start"
          label="From line"
          type="number"
          min={1}
          max={place.line}
          hint="For a comment on several lines; the last one is the line above."
          value={at.form.values.text('start_line')}
          error={fieldError(at, 'start_line')}
        />
        <LineFormActions here={here} ownPull={ownPull} />
      </Form>
    </div>
  )
}

/** A pending comment, which only its author sees. */
export const DraftItem = ({
  draft,
  visit,
  repo,
  number,
}: {
  draft: Draft
  visit: Visit
  repo: string
  number: number
}) => (
  <div class="review-thread review-draft" id={draft.id}>
    <p class="small muted">
      <Badge tone="wait">Pending</Badge>{' '}
      {draft.start_line === null
        ? `Line ${draft.line}`
        : `Lines ${draft.start_line} to ${draft.line}`}
      ; nobody else sees this until you send your review.
    </p>
    <MarkdownBody text={draft.body} options={markdownOf(visit, repo)} />
    <ActionButton
      action={`${pullPath(repo, number)}/drafts/delete`}
      csrf={visit.csrf}
      values={{ draft: draft.id }}
    >
      <Button small variant="quiet" icon="trash">
        Delete
      </Button>
    </ActionButton>
  </div>
)

const VerdictFields = ({ at, verdict }: { at: Visit; verdict: string }) => (
  <FieldSet legend="Verdict" error={fieldError(at, 'verdict')}>
    <Radio
      id="finish-approve"
      name="verdict"
      value="approve"
      label="Approve"
      checked={verdict === 'approve'}
    />
    <Radio
      id="finish-changes"
      name="verdict"
      value="request_changes"
      label="Request changes"
      checked={verdict === 'request_changes'}
    />
    <Radio
      id="finish-comment"
      name="verdict"
      value="comment"
      label="Only comment"
      checked={!['approve', 'request_changes'].includes(verdict)}
    />
  </FieldSet>
)

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
        This is your own pull request, so it takes no review of yours; send your comments one by
        one.
      </Notice>
    )
  const verdict = at.form.values.text('verdict')
  return (
    <details class="more finish-review" id="finish" open={at.form.error !== null}>
      <summary>
        {drafts === 0
          ? 'Review these changes'
          : `Send your review with ${drafts === 1 ? '1 comment' : `${drafts} comments`}`}
      </summary>
      <Card>
        <Form
          action={action}
          csrf={visit.csrf}
          label="Review"
          error={formError(at, 'body', 'verdict')}
        >
          {head !== null && <input type="hidden" name="commit" value={head} />}
          <TextArea
            id="finish-body"
            name="review"
            label="What you think"
            rows={4}
            markdown={repo}
            value={at.form.values.text('review')}
            error={fieldError(at, 'body')}
          />
          <VerdictFields at={at} verdict={verdict} />
          <FormActions>
            <Button variant="primary">Send the review</Button>
          </FormActions>
        </Form>
      </Card>
    </details>
  )
}
