import {
  addComment,
  getIssue,
  listAssignees,
  listIssueEvents,
  listLabels,
  type Label as LabelRecord,
} from '#features/issues/index.ts'
import {
  closePull,
  convertPullToDraft,
  dismissReview,
  getPull,
  listReviewThreads,
  markPullReady,
  mergePull,
  reopenPull,
  reviewPull,
  type PullDetail,
  type Review,
} from '#features/pulls/index.ts'
import { hasQueue } from '#features/queue/index.ts'
import { getRepo, getRepoSettings, type Repo } from '#features/repos/index.ts'
import {
  Badge,
  Button,
  Card,
  Checkbox,
  CheckState,
  Columns,
  Comment,
  CommentBox,
  CommentClosed,
  Commands,
  CopyField,
  diffAnchor,
  Field,
  FieldSet,
  Form,
  FormActions,
  Icon,
  LinkButton,
  MarkdownBody,
  PersonLink,
  Radio,
  Select,
  SideBlock,
  TextArea,
  Timeline,
  type Tone,
} from '../../components/index.ts'
import { plural } from '../../format.ts'
import { stateWord } from '../../live.ts'
import { commitPath, issuePath, pullPath, withQuery } from '../../paths.ts'
import { action, Away, flashTo, page, redirect, type Visit } from '../../site.ts'
import { CommentItem, EventItem, markdownOf, woven } from '../issues/conversation.tsx'
import { numberOf } from '../issues/issue.tsx'
import { Following } from '../notifications/follow.tsx'
import { loadHeard, mentionItems, type Heard } from '../notifications/mentioned.tsx'
import { QueuedBox } from '../queue/box.tsx'
import { repoOf } from '../repos/frame.tsx'
import type { BranchRule } from '#features/rulesets/index.ts'
import type { CombinedStatus } from '#features/statuses/index.ts'
import { StatusList, statusesOf } from '../code/statuses.tsx'
import {
  BlockerLine,
  mayGoPast,
  methodsLeft,
  RulesLink,
  rulesOfBase,
} from '../rulesets/on-pull.tsx'
import { fieldError, formAt, formError } from '../shell.tsx'
import { AssigneesSide, LabelsSide } from '../issues/side.tsx'
import { AutoMerge, RevertButton, UpdateBranch } from './branch-box.tsx'
import { Reviewers } from './reviewers.tsx'
import { Thread, threadRights, type ReviewThread } from './threads.tsx'
import { PullFrame } from './frame.tsx'

const VERDICTS: Record<Review['verdict'], { words: string; tone?: Tone }> = {
  approve: { words: 'approved', tone: 'good' },
  request_changes: { words: 'asked for changes', tone: 'bad' },
  comment: { words: 'reviewed' },
}

const WHY: Record<NonNullable<Review['why_not_counted']>, string> = {
  own: 'their own',
  no_write: 'without write access',
  agent: 'by an agent',
  stale: 'of an earlier version',
  dismissed: 'dismissed',
}

/** Taking the effect from a review, with the reason that everyone reads. */
const Dismiss = ({ review, visit, here }: { review: Review; visit: Visit; here: string }) => {
  const refused = visit.form.values.text('review_id') === review.id
  return (
    <details class="more" open={refused}>
      <summary>Dismiss this review</summary>
      <Form
        action={`${here}/reviews/dismiss`}
        csrf={visit.csrf}
        label="Dismiss this review"
        error={refused ? formError(visit, 'reason') : null}
      >
        <input type="hidden" name="review_id" value={review.id} />
        <Field
          id={`dismiss-${review.id}`}
          name="reason"
          label="Why"
          required
          maxlength={2_000}
          value={refused ? visit.form.values.text('reason') : ''}
          error={refused ? fieldError(visit, 'reason') : null}
        />
        <FormActions>
          <Button small look="danger">
            Dismiss
          </Button>
        </FormActions>
      </Form>
    </details>
  )
}

const ReviewItem = ({
  review,
  visit,
  repo,
  here,
}: {
  review: Review
  visit: Visit
  repo: string
  here: string | null
}) => {
  const look = VERDICTS[review.verdict]
  return (
    <Comment
      id={review.id}
      author={review.author}
      at={review.created_at}
      tone={look.tone}
      verb={look.words}
      role={
        review.verdict !== 'comment' && review.why_not_counted
          ? `Does not count: ${WHY[review.why_not_counted]}`
          : undefined
      }
      body={
        <>
          <MarkdownBody text={review.body} options={markdownOf(visit, repo)} empty="No words." />
          {review.dismissed && (
            <p class="muted">
              Dismissed
              {review.dismissed.by && (
                <>
                  {' '}
                  by <PersonLink of={review.dismissed.by} face={false} />
                </>
              )}
              : {review.dismissed.reason}
            </p>
          )}
        </>
      }
      footer={
        here !== null && review.verdict !== 'comment' && review.dismissed === null ? (
          <Dismiss review={review} visit={visit} here={here} />
        ) : undefined
      }
    />
  )
}

/** A conversation on a line, with the place that it is about. */
const ThreadItem = ({
  thread,
  visit,
  repo,
  data,
}: {
  thread: ReviewThread
  visit: Visit
  repo: Repo
  data: PullDetail
}) => {
  const [root] = thread.comments
  const where = `${thread.path}:${thread.line ?? root?.line ?? ''}`
  const href = `${pullPath(repo.full_name, data.number, 'changes')}#${diffAnchor(thread.path)}${thread.side === 'old' ? 'L' : 'R'}${thread.line ?? ''}`
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
                <code>{where}</code> <Badge>Outdated</Badge>
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

/** How to bring commits into a pull request that has its own fork. */
const PushHelp = ({ data }: { data: PullDetail }) => (
  <Card title="Push your commits here">
    <CopyField label="Remote" id="pull-remote" value={data.git.remote} />
    <Commands>{`git clone ${data.git.remote} work\ncd work\n# change something\ngit commit -am "What and why"\ngit push origin HEAD:${data.git.branch}`}</Commands>
  </Card>
)

type MergeBoxProps = {
  data: PullDetail
  repo: Repo
  rules: readonly BranchRule[]
  methods: readonly string[]
  usual: string
  allowsIgnoring: boolean
  visit: Visit
}

const MergeBox = ({ data, repo, rules, methods, usual, allowsIgnoring, visit }: MergeBoxProps) => {
  const here = pullPath(repo.full_name, data.number)
  const ignoring = allowsIgnoring && data.blockers.some(({ code }) => code === 'checks_failed')
  const mayMerge = visit.viewer !== null && repo.permissions.write
  const names: Record<string, string> = {
    merge: 'Merge commit',
    squash: 'Squash into one commit',
    rebase: 'Rebase',
  }
  if (data.status === 'merged') {
    return (
      <Card
        title={
          <>
            <Icon name="merge" /> Merged
          </>
        }
      >
        <p>
          {data.merged_by} merged this
          {data.merge_commit_sha && (
            <>
              {' '}
              as{' '}
              <a href={commitPath(repo.full_name, data.merge_commit_sha)}>
                <code>{data.merge_commit_sha.slice(0, 7)}</code>
              </a>
            </>
          )}
          .
        </p>
        <RevertButton data={data} repo={repo} visit={visit} />
      </Card>
    )
  }
  if (data.status === 'closed') {
    return (
      <Card title="Closed">
        <p>
          {data.superseded_by === null ? (
            'This was closed without merging.'
          ) : (
            <>
              Pull request{' '}
              <a href={pullPath(repo.full_name, data.superseded_by)}>#{data.superseded_by}</a> was
              merged for the same issue.
            </>
          )}
        </p>
      </Card>
    )
  }
  if (data.queue !== null) return <QueuedBox data={data} repo={repo} visit={visit} />
  return (
    <Card
      title={
        data.blockers.length === 0 ? (
          <>
            <Icon name="check-circle" /> Ready to merge
          </>
        ) : (
          'Before this can merge'
        )
      }
    >
      {data.blockers.length > 0 && (
        <ul class="bare-list">
          {data.blockers.map((blocker) => (
            <BlockerLine blocker={blocker} />
          ))}
        </ul>
      )}
      <RulesLink repo={repo.full_name} base={data.base.ref} rules={rules} />
      {mayMerge && data.status === 'open' && (
        <Form
          action={`${here}/merge`}
          csrf={visit.csrf}
          label="Merge"
          error={formError(formAt(visit, `${here}/merge`), 'method')}
        >
          <Select
            name="method"
            label="How"
            required
            options={methods.map((value) => ({ value, label: names[value] ?? value }))}
            value={visit.form.values.optional('method') ?? usual}
            error={fieldError(visit, 'method')}
          />
          {data.issue !== null && (
            <Checkbox
              name="keep_issue_open"
              label={`Keep issue #${data.issue.number} open`}
              checked={visit.form.values.ticked('keep_issue_open')}
            />
          )}
          {data.head && <input type="hidden" name="expected_head" value={data.head.sha} />}
          {ignoring && (
            <Checkbox
              name="ignore_checks"
              label="Merge with failed checks"
              hint="The timeline and the audit log will say so."
              checked={visit.form.values.ticked('ignore_checks')}
            />
          )}
          <FormActions>
            {mayGoPast(data.blockers, rules) ? (
              <Button look="danger" icon="merge">
                Merge, if you may pass these rules
              </Button>
            ) : (
              <Button
                look="primary"
                icon="merge"
                disabled={data.blockers.some(({ code }) => code !== 'checks_failed' || !ignoring)}
              >
                {hasQueue(visit.hearth, repo.id, data.base.ref)
                  ? 'Add to the merge queue'
                  : 'Merge'}
              </Button>
            )}
          </FormActions>
        </Form>
      )}
      <AutoMerge data={data} repo={repo} visit={visit} />
    </Card>
  )
}

const ReadyBox = ({ data, here, visit }: { data: PullDetail; here: string; visit: Visit }) => (
  <Card title="Ready for review?">
    <Form
      action={`${here}/ready`}
      csrf={visit.csrf}
      label="Mark ready"
      error={formError(formAt(visit, `${here}/ready`), 'summary')}
    >
      <TextArea
        name="summary"
        label="Summary"
        required
        rows={4}
        markdown={data.repo}
        hint="What changed and why; it becomes the description."
        value={visit.form.values.optional('summary') ?? data.body}
        error={fieldError(visit, 'summary')}
      />
      <FormActions>
        <Button look="primary">Mark ready</Button>
      </FormActions>
    </Form>
  </Card>
)

const ReviewBox = ({ here, visit, repo }: { here: string; visit: Visit; repo: string }) => (
  <Card title="Review">
    <Form
      action={`${here}/reviews`}
      csrf={visit.csrf}
      label="Review"
      error={formError(formAt(visit, `${here}/reviews`), 'body', 'verdict')}
    >
      <TextArea
        name="review"
        label="What you think"
        rows={4}
        markdown={repo}
        value={visit.form.values.text('review')}
        error={fieldError(formAt(visit, `${here}/reviews`), 'body')}
      />
      <FieldSet legend="Verdict" error={fieldError(visit, 'verdict')}>
        <Radio
          name="verdict"
          value="approve"
          label="Approve"
          checked={visit.form.values.text('verdict') === 'approve'}
        />
        <Radio
          name="verdict"
          value="request_changes"
          label="Ask for changes"
          checked={visit.form.values.text('verdict') === 'request_changes'}
        />
        <Radio
          name="verdict"
          value="comment"
          label="Only comment"
          checked={!['approve', 'request_changes'].includes(visit.form.values.text('verdict'))}
        />
      </FieldSet>
      <FormActions>
        <Button>Send the review</Button>
      </FormActions>
    </Form>
  </Card>
)

type SideProps = {
  data: PullDetail
  statuses: CombinedStatus | null
  repo: Repo
  visit: Visit
  mayChange: boolean
  labels: readonly LabelRecord[]
  assignable: readonly string[]
  heard: Heard
}

const Side = ({ data, statuses, repo, visit, mayChange, labels, assignable, heard }: SideProps) => {
  const place = {
    visit,
    repo: repo.full_name,
    here: pullPath(repo.full_name, data.number),
    may: visit.viewer !== null && repo.permissions.triage && !repo.archived,
  }
  return (
    <>
      <Reviewers visit={visit} data={data} repo={repo} />
      <SideBlock title="Approvals">
        <p>
          {data.approvals.required === 0
            ? `${data.approvals.counted} counted, none required`
            : `${data.approvals.counted} of ${data.approvals.required}`}
        </p>
      </SideBlock>
      {data.checks_status !== 'none' && (
        <SideBlock title="Checks">
          <p>
            <CheckState
              status={data.checks_status}
              href={pullPath(repo.full_name, data.number, 'checks')}
            />
          </p>
        </SideBlock>
      )}
      {statuses !== null && (
        <SideBlock title="Statuses">
          <StatusList statuses={statuses.statuses} />
        </SideBlock>
      )}
      <SideBlock title="Base">
        {data.behind.by === 0 ? (
          <p>Up to date with {data.behind.base}</p>
        ) : (
          <p>
            {data.behind.by} behind {data.behind.base}
          </p>
        )}
        {data.behind.conflict_paths.length > 0 && (
          <ul class="bare-list">
            {data.behind.conflict_paths.map((path) => (
              <li>
                <Icon name="warning" /> <code>{path}</code>
              </li>
            ))}
          </ul>
        )}
        {(data.status === 'open' || data.status === 'draft') && (
          <UpdateBranch data={data} repo={repo} visit={visit} />
        )}
      </SideBlock>
      {data.overlaps.length > 0 && (
        <SideBlock title="Touches the same">
          <ul class="bare-list">
            {data.overlaps.map((other) => (
              <li>
                <a href={pullPath(repo.full_name, other.number)}>
                  #{other.number} {other.title}
                </a>{' '}
                <Badge tone={other.level === 'lines' ? 'bad' : 'wait'}>{other.level}</Badge>
              </li>
            ))}
          </ul>
        </SideBlock>
      )}
      <LabelsSide {...place} names={data.labels} known={labels} />
      <AssigneesSide {...place} people={data.assignees} assignable={assignable} />
      <Following visit={visit} subscription={heard.subscription} at={place.here} />
      {data.session.cost_usd !== null && (
        <SideBlock title="Cost">{`$${data.session.cost_usd.toFixed(2)}`}</SideBlock>
      )}
      {mayChange && (
        <p>
          <LinkButton href={`${pullPath(repo.full_name, data.number)}/edit`} small icon="edit">
            Edit
          </LinkButton>
        </p>
      )}
    </>
  )
}

/** The pull request of the address with all that its page shows. */
export async function loadPull(visit: Visit) {
  const name = repoOf(visit)
  const number = numberOf(visit)
  if (number === null) return null
  const repo = await visit.call(getRepo, { repo: name })
  const data = await visit.tryCall(getPull, { repo: name, number })
  if (data === null)
    return (
      (await visit.tryCall(getIssue, { repo: name, number })) &&
      redirect(issuePath(name, number), 302)
    )
  const [rules, statuses, events, settings, threads, labels, assignable] = await Promise.all([
    rulesOfBase(visit, name, data.base.ref),
    statusesOf(visit, name, data.head?.sha ?? null),
    visit.call(listIssueEvents, { repo: name, number, per_page: 100 }),
    visit.viewer ? visit.tryCall(getRepoSettings, { repo: name }) : null,
    visit.call(listReviewThreads, { repo: name, number }),
    visit.call(listLabels, { repo: name, per_page: 100 }),
    visit.viewer && repo.permissions.triage
      ? visit.call(listAssignees, { repo: name, per_page: 100 })
      : null,
  ])
  return {
    repo,
    data,
    heard: await loadHeard(visit, name, number),
    events: events.items,
    rules,
    statuses,
    methods: methodsLeft(settings?.merge_methods ?? ['merge'], rules),
    usual: settings?.default_merge_method ?? 'merge',
    allowsIgnoring: settings?.allow_ignoring_checks ?? false,
    threads,
    labels: labels.items,
    assignable: (assignable?.items ?? []).map(({ username }) => username),
  }
}

type Loaded = Exclude<Awaited<ReturnType<typeof loadPull>>, Away | null>

/** What the page is made of, as one word; what is anew with every visit is left out. */
export const pullState = ({ repo: _, ...shown }: Loaded): string => stateWord(shown)

const said = ({ status, checks_status, comments_count, blockers }: PullDetail): string =>
  `${status}, ${plural(comments_count, 'comment')}${checks_status === 'none' ? '' : `, checks ${checks_status}`}${status === 'open' ? `, ${blockers.length === 0 ? 'ready to merge' : plural(blockers.length, 'blocker')}` : ''}`

export const pullPage = page({
  path: '/:workspace/:repo/pull/:number',
  load: loadPull,
  view: (loaded, visit) => {
    const {
      repo,
      data,
      heard,
      events,
      rules,
      statuses,
      methods,
      usual,
      allowsIgnoring,
      threads,
      labels,
      assignable,
    } = loaded
    const here = pullPath(repo.full_name, data.number)
    const live = { href: withQuery(`${here}/live`, { state: pullState(loaded) }), said: said(data) }
    // What an agent made for a person is that person's own.
    const mine =
      visit.viewer !== null &&
      [data.author.id, data.author.on_behalf_of?.id].includes(visit.viewer.id)
    const active = data.status === 'open' || data.status === 'draft'
    const items = woven([
      ...data.comments
        .filter(({ path }) => path === null)
        .map((comment) => ({
          at: comment.created_at,
          item: (
            <CommentItem
              comment={comment}
              visit={visit}
              repo={repo.full_name}
              role={comment.author.id === data.author.id ? 'Author' : undefined}
              here={here}
              mayChange={repo.permissions.maintain}
            />
          ),
        })),
      ...threads.map((thread) => ({
        at: thread.comments[0]?.created_at ?? '',
        item: <ThreadItem thread={thread} visit={visit} repo={repo} data={data} />,
      })),
      ...data.reviews.map((review) => ({
        at: review.created_at,
        item: (
          <ReviewItem
            review={review}
            visit={visit}
            repo={repo.full_name}
            here={active && repo.permissions.maintain ? here : null}
          />
        ),
      })),
      ...events.map((event) => ({ at: event.time, item: <EventItem event={event} /> })),
      ...mentionItems(heard, repo.full_name),
    ])
    return (
      <PullFrame visit={visit} repo={repo} pull={data.pull} current="conversation" live={live}>
        <Columns
          where="right"
          side={
            <Side
              data={data}
              statuses={statuses}
              repo={repo}
              visit={visit}
              mayChange={!repo.archived && (mine || repo.permissions.triage)}
              labels={labels}
              assignable={assignable}
              heard={heard}
            />
          }
        >
          <Timeline>
            <Comment
              id="description"
              author={data.author}
              at={data.created_at}
              role="Author"
              verb="started this"
              body={
                <MarkdownBody
                  text={data.body}
                  options={markdownOf(visit, repo.full_name)}
                  empty="No description yet."
                />
              }
            />
            {items}
          </Timeline>
          {data.status === 'draft' && mine && data.head?.sha === data.merge_base_sha && (
            <PushHelp data={data} />
          )}
          {data.status === 'draft' && (mine || repo.permissions.write) && (
            <ReadyBox data={data} here={here} visit={visit} />
          )}
          <MergeBox
            data={data}
            repo={repo}
            rules={rules}
            methods={methods}
            usual={usual}
            allowsIgnoring={allowsIgnoring}
            visit={visit}
          />
          {visit.viewer !== null && active && !mine && !repo.archived && (
            <ReviewBox here={here} visit={visit} repo={repo.full_name} />
          )}
          {visit.viewer === null ? (
            <CommentClosed signIn={`/login?next=${encodeURIComponent(here)}`}>
              Sign in to comment.
            </CommentClosed>
          ) : repo.archived ? (
            <CommentClosed>This repository is archived.</CommentClosed>
          ) : (
            <CommentBox
              action={`${here}/comments`}
              csrf={visit.csrf}
              viewer={visit.viewer}
              repo={repo.full_name}
              value={visit.form.values.text('body')}
              error={visit.form.values.has('body') ? (visit.form.error?.message ?? null) : null}
              extra={
                mine || repo.permissions.triage ? (
                  <>
                    {data.status === 'open' && (
                      <Button name="then" value="draft" formnovalidate>
                        Back to draft
                      </Button>
                    )}
                    {active && (
                      <Button name="then" value="close" formnovalidate icon="pull-closed">
                        Close
                      </Button>
                    )}
                    {data.status === 'closed' && data.superseded_by === null && (
                      <Button name="then" value="reopen" formnovalidate>
                        Reopen
                      </Button>
                    )}
                  </>
                ) : undefined
              }
            />
          )}
        </Columns>
      </PullFrame>
    )
  },
})

const target = (visit: Visit) => ({ repo: repoOf(visit), number: numberOf(visit) ?? 0 })
const hereOf = (visit: Visit): string => pullPath(repoOf(visit), numberOf(visit) ?? 0)

export const pullCommentForm = action({
  path: '/:workspace/:repo/pull/:number/comments',
  page: pullPage,
  submit: async (visit, fields) => {
    const then = fields.text('then')
    const body = fields.text('body')
    if (then === '' || (then !== 'close' && body.trim() !== '')) {
      const comment = await visit.call(addComment, { ...target(visit), body })
      if (then === '') return `${hereOf(visit)}#${comment.id}`
    }
    if (then === 'close') {
      await visit.call(closePull, {
        ...target(visit),
        ...(body.trim() === '' ? {} : { comment: body }),
      })
      return flashTo(visit, hereOf(visit), 'pull-closed')
    }
    if (then === 'draft') {
      await visit.call(convertPullToDraft, target(visit))
      return flashTo(visit, hereOf(visit), 'pull-draft')
    }
    await visit.call(reopenPull, target(visit))
    return flashTo(visit, hereOf(visit), 'pull-reopened')
  },
})

export const readyForm = action({
  path: '/:workspace/:repo/pull/:number/ready',
  page: pullPage,
  submit: async (visit, fields) => {
    await visit.call(markPullReady, { ...target(visit), summary: fields.text('summary') })
    return flashTo(visit, hereOf(visit), 'pull-ready')
  },
})

export const reviewForm = action({
  path: '/:workspace/:repo/pull/:number/reviews',
  page: pullPage,
  submit: async (visit, fields) => {
    const verdict = fields.text('verdict')
    await visit.call(reviewPull, {
      ...target(visit),
      verdict: verdict === 'approve' || verdict === 'request_changes' ? verdict : 'comment',
      ...(fields.text('review').trim() === '' ? {} : { body: fields.text('review') }),
    })
    return flashTo(visit, hereOf(visit), 'reviewed')
  },
})

export const dismissForm = action({
  path: '/:workspace/:repo/pull/:number/reviews/dismiss',
  page: pullPage,
  submit: async (visit, fields) => {
    await visit.call(dismissReview, {
      ...target(visit),
      id: fields.text('review_id'),
      reason: fields.text('reason'),
    })
    return flashTo(visit, hereOf(visit), 'review-dismissed')
  },
})

export const mergeForm = action({
  path: '/:workspace/:repo/pull/:number/merge',
  page: pullPage,
  submit: async (visit, fields) => {
    const method = fields.text('method')
    const { queue } = await visit.call(mergePull, {
      ...target(visit),
      method: method === 'squash' || method === 'rebase' ? method : 'merge',
      keep_issue_open: fields.ticked('keep_issue_open'),
      ...(fields.ticked('ignore_checks') ? { ignore_checks: true } : {}),
      ...(fields.optional('expected_head') ? { expected_head: fields.text('expected_head') } : {}),
    })
    return flashTo(visit, hereOf(visit), queue === null ? 'merged' : 'queued')
  },
})
