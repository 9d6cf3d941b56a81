import {
  addComment,
  closeIssue,
  readIssue,
  getIssueReactions,
  lockIssue,
  reopenIssue,
  unlockIssue,
  updateIssue,
  type Issue,
} from '#features/issues/index.ts'
import { LOCK_REASONS } from '#features/issues/schema.ts'
import { createPull, readPull } from '#features/pulls/index.ts'
import { getRepo } from '#features/repos/index.ts'
import {
  beginningOfText,
  ActionButton,
  Button,
  Columns,
  Comment,
  CommentBox,
  CommentClosed,
  Field,
  Form,
  FormActions,
  IssueState,
  LinkButton,
  List,
  MarkdownBody,
  PageHead,
  ActorLink,
  PullRow,
  RelativeTime,
  SideBlock,
  TextArea,
} from '../../components/index.ts'
import { hashState } from '../../live.ts'
import { issuePath, pullPath, textPath, withQuery } from '../../paths.ts'
import {
  action,
  type DirectResponse,
  redirectWithFlash,
  form,
  page,
  redirect,
  type Visit,
} from '../../site.ts'
import { Following } from '../notifications/follow.tsx'
import { loadIssueNotifications, mentionItems, placedMentions } from '../notifications/on-issue.tsx'
import { RepoFrame, numberOf, repoOf } from '../repos/frame.tsx'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { AgentSide, assignFormOn, loadAgentReadiness } from './assign-agent.tsx'
import { CommentItem, markdownOf } from './conversation.tsx'
import { EventItem } from './conversation-events.tsx'
import { inPart, loadPart, placeOf } from './conversation-part.ts'
import { Conversation } from './conversation-list.tsx'
import { editedOf, EditRecord, typedOr } from './edit-fields.tsx'
import { ReactionBar } from './reactions.tsx'
import { bytesBeside, loadProjects, loadSideChoices, stateOfChoices } from './side-load.ts'
import {
  AssigneesSide,
  BlockedBySide,
  LabelsSide,
  MilestoneSide,
  ProjectsSide,
} from './side-panel.tsx'
import { loadTriage, TriageCard, triageFormsOn } from './triage.tsx'
import { rich, t, tn } from '../../text.ts'

/** Loads the issue of an address. Redirects when the number is a pull request's. */
export const loadIssue = async (visit: Visit) => {
  const name = repoOf(visit)
  const number = numberOf(visit)
  if (number === null) return null
  const repo = await visit.call(getRepo, { repo: name })
  const detail = await visit.tryCall(readIssue, { repo: name, number })
  // Issues and pull requests share one sequence of numbers.
  if (detail === null)
    return (
      (await visit.tryCall(readPull, { repo: name, number })) &&
      redirect(pullPath(name, number), 302)
    )
  const mayChoose = visit.viewer !== null && repo.permissions.triage
  const choices = await loadSideChoices(visit, name, detail.issue.labels, mayChoose)
  const notifications = await loadIssueNotifications(visit, name, number)
  return {
    repo,
    notifications,
    ...detail,
    part: await loadPart(visit, { repo: name, number }, placedMentions(notifications), {
      sideBytes: bytesBeside(choices, shortChecks(detail.issue)),
      description: detail.issue.body,
    }),
    reactions: await visit.call(getIssueReactions, { repo: name, number }),
    choices,
    readiness: await loadAgentReadiness(visit, repo),
    projects: await loadProjects(visit, repo),
    triage: await loadTriage(visit, repo, number),
  }
}

type Loaded = Exclude<Awaited<ReturnType<typeof loadIssue>>, DirectResponse | null>

/** A hash of the page's data. `repo` is left out, because it differs with every visit. */
export const issueState = ({ repo: _, choices, ...shown }: Loaded): string =>
  hashState({ ...shown, choices: stateOfChoices(choices) })

/** What the panel shows of a command. */
const MAX_COMMAND_BYTES = 300

const shortChecks = ({ checks }: Issue): string[] =>
  checks.map((command) => beginningOfText(command, MAX_COMMAND_BYTES))

const AcceptanceChecks = ({ issue }: { issue: Issue }) => {
  const short = shortChecks(issue)
  const isCut = short.some((command, at) => command !== issue.checks[at])
  return (
    <SideBlock title={t('Acceptance checks')}>
      <ul class="bare-list">
        {short.map((command, at) => (
          <li>
            <code>{command === issue.checks[at] ? command : `${command} …`}</code>
          </li>
        ))}
      </ul>
      {isCut && (
        <p>
          <a href={textPath(issuePath(issue.repo, issue.number), 'checks')}>
            {t('Show whole commands')}
          </a>
        </p>
      )}
    </SideBlock>
  )
}

type LockProps = { readonly visit: Visit; readonly issue: Issue; readonly here: string }

const readable = (reason: string): string => reason.replaceAll('_', ' ')

const UnlockButton = ({ visit, here }: LockProps) => (
  <ActionButton action={`${here}/lock`} csrf={visit.csrf} values={{ lock: 'no' }}>
    <Button small icon="lock">
      {t('Unlock conversation')}
    </Button>
  </ActionButton>
)

const LockConversation = ({ visit, here }: LockProps) => {
  const at = visitForForm(visit, `${here}/lock`)
  return (
    <details class="more" open={at.form.error !== null}>
      <summary>{t('Lock conversation')}</summary>
      <Form
        action={`${here}/lock`}
        csrf={visit.csrf}
        label={t('Lock conversation')}
        error={formError(at, 'reason')}
      >
        <input type="hidden" name="lock" value="yes" />
        <Field
          name="reason"
          id="lock-reason"
          label={t('Reason')}
          maxlength={80}
          autocomplete="off"
          suggestions={LOCK_REASONS.map(readable)}
          value={at.form.values.text('reason')}
          error={fieldError(at, 'reason')}
          hint={t('Everybody sees it. Only people with write access can comment then.')}
        />
        <FormActions>
          <Button small icon="lock">
            {t('Lock conversation')}
          </Button>
        </FormActions>
      </Form>
    </details>
  )
}

/** The forms and links of the panel beside the conversation. */
const IssueSide = ({ visit, data }: { visit: Visit; data: Loaded }) => {
  const { repo, notifications, issue, choices } = data
  const here = issuePath(repo.full_name, issue.number)
  const side = {
    visit,
    repo: repo.full_name,
    here,
    mayEdit: visit.viewer !== null && repo.permissions.triage && !repo.archived,
  }
  return (
    <>
      <LabelsSide {...side} names={issue.labels} labels={choices.labels} />
      <AssigneesSide {...side} people={issue.assignees} assignable={choices.people} />
      {data.readiness && issue.state === 'open' && (
        <AgentSide visit={visit} repo={repo} issue={issue} readiness={data.readiness} />
      )}
      <MilestoneSide {...side} milestone={issue.milestone} milestones={choices.milestones} />
      <ProjectsSide workspace={repo.workspace} projects={data.projects} />
      <BlockedBySide {...side} numbers={issue.blocked_by} />
      {issue.checks.length > 0 && <AcceptanceChecks issue={issue} />}
      <Following visit={visit} subscription={notifications.subscription} at={here} />
      {mayChangeIssue(visit, data) && (
        <p>
          <LinkButton href={`${here}/edit`} small icon="edit">
            {t('Edit')}
          </LinkButton>
        </p>
      )}
      {repo.permissions.write &&
        !repo.archived &&
        (issue.locked ? (
          <UnlockButton visit={visit} issue={issue} here={here} />
        ) : (
          <LockConversation visit={visit} issue={issue} here={here} />
        ))}
    </>
  )
}

const mayChangeIssue = (visit: Visit, { repo, issue }: Loaded): boolean =>
  (visit.viewer !== null && visit.viewer.id === issue.author.id) || repo.permissions.triage

/** Tasks of the description are changed as its text is: by its author, or with Maintain. */
const mayTick = (visit: Visit, { repo, issue }: Loaded): boolean =>
  visit.viewer !== null &&
  !repo.archived &&
  (visit.viewer.id === issue.author.id || repo.permissions.maintain)

const IssueDescription = ({ visit, data }: { visit: Visit; data: Loaded }) => {
  const { repo, issue } = data
  return (
    <Comment
      id="description"
      author={issue.author}
      at={issue.created_at}
      role={t('Author')}
      verb={t('opened this')}
      reactions={
        <ReactionBar
          reactions={data.reactions}
          action={`${issuePath(repo.full_name, issue.number)}/react`}
          visit={visit}
          mayReact={visit.viewer !== null && !repo.archived}
        />
      }
      body={
        <MarkdownBody
          text={issue.body}
          options={markdownOf(visit, repo.full_name, issue.author)}
          empty={t('No description.')}
          whole={{
            href: textPath(issuePath(repo.full_name, issue.number), 'description'),
            maxBytes: data.part.maxTextBytes,
          }}
          tasks={
            mayTick(visit, data)
              ? { action: `${issuePath(repo.full_name, issue.number)}/tasks`, csrf: visit.csrf }
              : null
          }
        />
      }
    />
  )
}

const IssueTimeline = ({ visit, data }: { visit: Visit; data: Loaded }) => {
  const { repo, notifications, issue, part } = data
  const here = issuePath(repo.full_name, issue.number)
  return (
    <Conversation
      here={here}
      part={part}
      first={<IssueDescription visit={visit} data={data} />}
      items={[
        ...part.comments.map((comment) => ({
          place: placeOf(comment.id),
          item: (
            <CommentItem
              comment={comment}
              visit={visit}
              repo={repo.full_name}
              role={comment.author.id === issue.author.id ? t('Author') : undefined}
              here={here}
              mayChange={repo.permissions.maintain}
              maxBytes={part.maxTextBytes}
            />
          ),
        })),
        ...part.events.map((event) => ({
          place: placeOf(event.id),
          item: <EventItem event={event} repo={repo.full_name} />,
        })),
        ...mentionItems(notifications, repo.full_name, part),
      ]}
    />
  )
}

const StateButtons = ({ state }: { state: Issue['state'] }) =>
  state === 'open' ? (
    <>
      <Button name="then" value="not_planned" formnovalidate>
        {t('Close as not planned')}
      </Button>
      <Button name="then" value="completed" formnovalidate icon="issue-closed">
        {t('Close as completed')}
      </Button>
    </>
  ) : (
    <Button name="then" value="reopen" formnovalidate>
      {t('Reopen')}
    </Button>
  )

const lockedText = ({ lock_reason }: Issue): string =>
  lock_reason === null
    ? t('This conversation is locked.')
    : t('This conversation is locked: {lock_reason}.', { lock_reason: readable(lock_reason) })

/** The form for a comment, or why the visitor cannot write one. */
const NewComment = ({ visit, data }: { visit: Visit; data: Loaded }) => {
  const { repo, issue } = data
  const here = issuePath(repo.full_name, issue.number)
  if (visit.viewer === null)
    return (
      <CommentClosed signIn={`/login?next=${encodeURIComponent(here)}`}>
        {t('Sign in to comment.')}
      </CommentClosed>
    )
  if (issue.locked && !repo.permissions.write)
    return <CommentClosed>{lockedText(issue)}</CommentClosed>
  if (repo.archived) return <CommentClosed>{t('This repository is archived.')}</CommentClosed>
  return (
    <CommentBox
      action={`${here}/comments`}
      csrf={visit.csrf}
      viewer={visit.viewer}
      repo={repo.full_name}
      value={visit.form.values.text('body')}
      error={visit.form.values.has('body') ? (visit.form.error?.message ?? null) : null}
      extra={mayChangeIssue(visit, data) ? <StateButtons state={issue.state} /> : undefined}
    />
  )
}

export const issuePage = page({
  path: '/:workspace/:repo/issues/:number',
  load: loadIssue,
  view: (data, visit) => {
    const { repo, issue, pulls, comments_count } = data
    const here = issuePath(repo.full_name, issue.number)
    return (
      <RepoFrame
        visit={visit}
        repo={repo}
        title={t('{title} · Issue #{number}', { title: issue.title, number: issue.number })}
        current="issues"
        inPlace
        live={{
          href: withQuery(inPart(visit, `${here}/live`), { state: issueState(data) }),
          said: `${issue.state === 'open' ? t('Open') : t('Closed')}, ${tn('{count} comment', '{count} comments', comments_count)}`,
        }}
      >
        <PageHead
          title={
            <>
              <bdi>{issue.title}</bdi> <span class="muted">#{issue.number}</span>
            </>
          }
          lead={
            <>
              <IssueState issue={issue} />{' '}
              {rich('{actor} opened this {time}', {
                actor: <ActorLink of={issue.author} face={false} />,
                time: <RelativeTime at={issue.created_at} />,
              })}
            </>
          }
          actions={
            visit.viewer && issue.state === 'open' ? (
              <Form action={`${here}/pulls`} csrf={visit.csrf} inline>
                <Button icon="pull">{t('Start a pull request')}</Button>
              </Form>
            ) : undefined
          }
        />
        <Columns where="right" side={<IssueSide visit={visit} data={data} />}>
          {pulls.length > 0 && (
            <List label={t('Pull requests for this issue')} head={t('Pull requests')}>
              {pulls.map((pull) => (
                <PullRow pull={{ ...pull, repo: repo.full_name }} />
              ))}
            </List>
          )}
          <TriageCard visit={visit} here={here} triage={data.triage} issue={issue} />
          <IssueTimeline visit={visit} data={data} />
          <NewComment visit={visit} data={data} />
        </Columns>
      </RepoFrame>
    )
  },
})

export const assignForm = assignFormOn(issuePage)
export const triageForms = triageFormsOn(issuePage)

/** One form for a comment, and for closing or reopening with a comment. */
export const commentForm = action({
  path: '/:workspace/:repo/issues/:number/comments',
  page: issuePage,
  submit: async (visit, fields) => {
    const repo = repoOf(visit)
    const number = numberOf(visit) ?? 0
    const then = fields.text('then')
    const body = fields.text('body')
    const here = issuePath(repo, number)
    if (body.trim() !== '' || then === '') {
      const comment = await visit.call(addComment, { repo, number, body })
      if (then === '') return `${here}#${comment.id}`
    }
    if (then === 'reopen') {
      await visit.call(reopenIssue, { repo, number })
      return redirectWithFlash(visit, here, 'issue-reopened')
    }
    await visit.call(closeIssue, {
      repo,
      number,
      reason: then === 'not_planned' ? 'not_planned' : 'completed',
    })
    return redirectWithFlash(visit, here, 'issue-closed')
  },
})

/** A proposed reason has its name in the API, whatever its spelling on the page. */
function lockReason(text: string): { reason?: string } {
  const reason = text.trim()
  if (reason === '') return {}
  return { reason: LOCK_REASONS.find((one) => readable(one) === reason.toLowerCase()) ?? reason }
}

export const lockForm = action({
  path: '/:workspace/:repo/issues/:number/lock',
  page: issuePage,
  submit: async (visit, fields) => {
    const at = { repo: repoOf(visit), number: numberOf(visit) ?? 0 }
    const lock = fields.text('lock') === 'yes'
    if (lock) await visit.call(lockIssue, { ...at, ...lockReason(fields.text('reason')) })
    else await visit.call(unlockIssue, at)
    return redirectWithFlash(
      visit,
      issuePath(at.repo, at.number),
      lock ? 'issue-locked' : 'issue-unlocked',
    )
  },
})

export const startPullForm = form({
  path: '/:workspace/:repo/issues/:number/pulls',
  page: issuePage,
  operation: createPull,
  input: (_, visit) => ({ repo: repoOf(visit), issue: numberOf(visit) ?? 0 }),
  done: ({ pull }) => pullPath(pull.repo, pull.number),
})

export const editIssuePage = page({
  path: '/:workspace/:repo/issues/:number/edit',
  load: loadIssue,
  view: ({ repo, issue, choices }, visit) => (
    <EditRecord
      visit={visit}
      repo={repo}
      record={issue}
      what="issue"
      here={issuePath(repo.full_name, issue.number)}
      choices={choices}
      own={['checks']}
      triage={
        <TextArea
          name="checks"
          label={t('Acceptance checks')}
          rows={3}
          mono
          hint={t('One command per line.')}
          value={typedOr(visit, 'checks', issue.checks.join('\n'))}
          error={fieldError(visit, 'checks')}
        />
      }
    />
  ),
})

export const editIssueForm = form({
  path: '/:workspace/:repo/issues/:number/edit',
  page: editIssuePage,
  operation: updateIssue,
  input: (fields, visit) => ({
    repo: repoOf(visit),
    number: numberOf(visit) ?? 0,
    ...editedOf(fields),
    ...(fields.has('checks') ? { checks: fields.list('checks') } : {}),
  }),
  done: (issue, visit) => redirectWithFlash(visit, issuePath(issue.repo, issue.number), 'saved'),
})
