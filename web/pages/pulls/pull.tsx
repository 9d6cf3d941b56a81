import { readIssue, getIssueReactions } from '#features/issues/index.ts'
import {
  readPull,
  lacksPerson,
  listDraftComments,
  listReviewThreads,
  type PullOverview,
  type Review,
} from '#features/pulls/index.ts'
import { getRepo, getRepoSettings, type Repo } from '#features/repos/index.ts'
import { getDependencyReview } from '#features/security/index.ts'
import {
  Button,
  Columns,
  Comment,
  CommentBox,
  CommentClosed,
  MarkdownBody,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { hashState } from '../../live.ts'
import { issuePath, pullPath, textPath, withQuery } from '../../paths.ts'
import { page, redirect, type DirectResponse, type Visit } from '../../site.ts'
import { placesOfFindings, statusesOf } from '../code/statuses.tsx'
import { CommentItem, markdownOf } from '../issues/conversation.tsx'
import { EventItem } from '../issues/conversation-events.tsx'
import { Conversation } from '../issues/conversation-list.tsx'
import {
  commentBytes,
  inPart,
  isInPart,
  loadPart,
  placeOf,
  type OtherItem,
} from '../issues/conversation-part.ts'
import { ReactionBar } from '../issues/reactions.tsx'
import { loadPullMemories, PullMemories } from '../memory/on-pull.tsx'
import { loadIssueNotifications, mentionItems, placedMentions } from '../notifications/on-issue.tsx'
import { bytesBeside, stateOfChoices } from '../issues/side-load.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { methodsLeft, rulesOfBase } from '../rulesets/on-pull.tsx'
import { DependencyReviewCard } from '../security/on-pull.tsx'
import { loadWaitingAgent, WaitingAgentCard } from './agent-state.tsx'
import { codeOf, PullFrame } from './frame.tsx'
import { MergeBox } from './merge-box.tsx'
import { PullSide } from './pull-side.tsx'
import { loadPullChoices } from './pull-choices.ts'
import { isAuthor } from './reviewers.tsx'
import { PushHelp, ReadyBox } from './draft.tsx'
import { loadSummary, summaryBytes, SummaryCard } from './summary-card.tsx'
import { MAX_REVIEW_BYTES, ReviewBox, ReviewItem, ThreadItem } from './reviews.tsx'
import { commentsBelowLine, threadCommentBytes, type ReviewThread } from './threads.tsx'
import { t, tn } from '../../text.ts'
import { stateWord } from '../../messages.ts'

/** Loads the pull request of an address. Redirects when the number is an issue's. */
export async function loadPull(visit: Visit) {
  const name = repoOf(visit)
  const number = numberOf(visit)
  if (number === null) return null
  const repo = await visit.call(getRepo, { repo: name })
  const data = await visit.tryCall(readPull, { repo: name, number })
  if (data === null)
    return (
      (await visit.tryCall(readIssue, { repo: name, number })) &&
      redirect(issuePath(name, number), 302)
    )
  const [rules, statuses, settings, threads, drafts, choices, dependencies, waitingAgent] =
    await Promise.all([
      rulesOfBase(visit, name, data.base.ref),
      statusesOf(visit, name, data.head?.sha ?? null, placesOfFindings(name, number)),
      visit.viewer ? visit.tryCall(getRepoSettings, { repo: name }) : null,
      visit.call(listReviewThreads, { repo: name, number }),
      visit.viewer ? visit.tryCall(listDraftComments, { repo: name, number }) : null,
      loadPullChoices(visit, repo, data),
      visit.tryCall(getDependencyReview, { repo: name, number }),
      isActive(data) ? loadWaitingAgent(visit, repo, number) : null,
    ])
  const notifications = await loadIssueNotifications(visit, name, number)
  const summary = await loadSummary(visit, data)
  return {
    repo,
    data,
    notifications,
    part: await loadPart(
      visit,
      { repo: name, number },
      [...placedReviews(visit, data.reviews, threads), ...placedMentions(notifications)],
      {
        sideBytes: bytesBeside(choices) + summaryBytes(summary) + BOXES_BYTES,
        description: data.body,
      },
    ),
    reactions: await visit.call(getIssueReactions, { repo: name, number }),
    statuses,
    mergeOptions: {
      rules,
      methods: methodsLeft(settings?.merge_methods ?? ['merge'], rules),
      defaultMethod: settings?.default_merge_method ?? 'merge',
      mayIgnoreChecks: settings?.allow_ignoring_checks ?? false,
      autoMergeWaitsForPerson: settings !== null && lacksPerson(settings, data),
    },
    threads,
    dependencies,
    waitingAgent,
    summary,
    memories: await loadPullMemories(visit, repo, data),
    drafts: drafts?.length ?? 0,
    choices,
  }
}

type PullData = Exclude<Awaited<ReturnType<typeof loadPull>>, DirectResponse | null>

/**
 * A hash of what the page shows. `repo` is left out, because it differs with every visit, and so is
 * when the agent was last seen, because an agent from outside asks again and again for its answer.
 */
export const pullState = ({ repo: _, waitingAgent, choices, ...shown }: PullData): string =>
  hashState({
    ...shown,
    choices: stateOfChoices(choices),
    waits: waitingAgent && [waitingAgent.agent.waiting_for, waitingAgent.question],
  })

/** While a summary is made, the page follows that as well. */
const liveOf = ({ summary }: PullData): string =>
  summary?.record?.status === 'summarizing' ? 'summary/live' : 'live'

/** What screen readers announce when a live page changes. */
const announcement = ({ status, checks_status, comments_count, blockers }: PullOverview): string =>
  `${stateWord(status)}, ${tn('{count} comment', '{count} comments', comments_count)}${checks_status === 'none' ? '' : `, ${t('checks')}: ${stateWord(checks_status)}`}${status === 'open' ? `, ${blockers.length === 0 ? t('ready to merge') : tn('{count} blocker', '{count} blockers', blockers.length)}` : ''}`

/** The review that a thread began with. */
const reviewOf = ({ comments: [root] }: ReviewThread): string | null => root?.review ?? null

const placeOfThread = ({ comments: [root] }: ReviewThread): string => placeOf(root?.id ?? '')

/** What the page of a pull request has beside that of an issue: the merge box, reviewers and a review. */
const BOXES_BYTES = 12_000

/** The markup of a review, of a thread and of a line of its hunk. */
const REVIEW_BYTES = 1_000
const THREAD_BYTES = 2_500
const HUNK_LINE_BYTES = 120
const MAX_HUNK_BYTES = 6_000

function placedThread(thread: ReviewThread): OtherItem {
  const lines = thread.hunk.reduce((sum, { text }) => sum + HUNK_LINE_BYTES + 2 * text.length, 0)
  const comments = commentsBelowLine(thread.comments).reduce(
    (sum, comment) => sum + threadCommentBytes(comment),
    0,
  )
  return {
    place: placeOfThread(thread),
    ids: thread.comments.map(({ id }) => id),
    bytes: THREAD_BYTES + Math.min(lines, MAX_HUNK_BYTES) + comments,
  }
}

/** Reviews and threads, for the division into parts. */
const placedReviews = (
  visit: Visit,
  reviews: readonly Review[],
  threads: readonly ReviewThread[],
): OtherItem[] => [
  ...threads.map(placedThread),
  ...reviews.map((review) => ({
    place: placeOf(review.id),
    ids: [review.id],
    bytes: REVIEW_BYTES + commentBytes(visit, review, MAX_REVIEW_BYTES),
  })),
]

/** Comments, threads, reviews, events and mentions of the part that is shown. */
function timelineItems(loaded: PullData, visit: Visit): { place: string; item: Child }[] {
  const { repo, data, notifications, part, threads } = loaded
  const here = pullPath(repo.full_name, data.number)
  const isShown = ({ id }: Review): boolean => isInPart(part, placeOf(id))
  const reviews = new Set(data.reviews.filter(isShown).map(({ id }) => id))
  // A thread stands below its review, or by itself when another part has the review.
  const byReview = Map.groupBy(
    threads.filter((thread) => isInPart(part, placeOfThread(thread))),
    (thread) => {
      const review = reviewOf(thread)
      return review !== null && reviews.has(review) ? review : null
    },
  )
  const threadItem = (thread: ReviewThread) => (
    <ThreadItem thread={thread} visit={visit} repo={repo} data={data} />
  )
  return [
    ...part.comments.map((comment) => ({
      place: placeOf(comment.id),
      item: (
        <CommentItem
          comment={comment}
          visit={visit}
          repo={repo.full_name}
          role={comment.author.id === data.author.id ? t('Author') : undefined}
          here={here}
          mayChange={repo.permissions.maintain}
          maxBytes={part.maxTextBytes}
        />
      ),
    })),
    ...(byReview.get(null) ?? []).map((thread) => ({
      place: placeOfThread(thread),
      item: threadItem(thread),
    })),
    ...data.reviews.filter(isShown).map((review) => ({
      place: placeOf(review.id),
      item: (
        <ReviewItem
          review={review}
          visit={visit}
          repo={repo.full_name}
          here={here}
          mayDismiss={isActive(data) && repo.permissions.maintain}
          threads={(byReview.get(review.id) ?? []).map(threadItem)}
        />
      ),
    })),
    ...part.events.map((event) => ({
      place: placeOf(event.id),
      item: <EventItem event={event} repo={repo.full_name} code={codeOf(data)} />,
    })),
    ...mentionItems(notifications, repo.full_name, part),
  ]
}

const isActive = ({ status }: PullOverview): boolean => status === 'open' || status === 'draft'

/** Nothing has been pushed yet, or only what the base has. */
const hasNoCommits = ({ head, merge_base_sha }: PullOverview): boolean =>
  head === null || head.sha === merge_base_sha

const StateButtons = ({ data }: { data: PullOverview }) => (
  <>
    {data.status === 'open' && (
      <Button name="then" value="draft" formnovalidate>
        {t('Convert to draft')}
      </Button>
    )}
    {isActive(data) && (
      <Button name="then" value="close" formnovalidate icon="pull-closed">
        {t('Close')}
      </Button>
    )}
    {data.status === 'closed' && data.superseded_by === null && (
      <Button name="then" value="reopen" formnovalidate>
        {t('Reopen')}
      </Button>
    )}
  </>
)

/** The comment form with the buttons that change the state, or why there is none. */
const CommentForm = ({ data, repo, visit }: { data: PullOverview; repo: Repo; visit: Visit }) => {
  const here = pullPath(repo.full_name, data.number)
  if (visit.viewer === null)
    return (
      <CommentClosed signIn={`/login?next=${encodeURIComponent(here)}`}>
        {t('Sign in to comment.')}
      </CommentClosed>
    )
  if (repo.archived) return <CommentClosed>{t('This repository is archived.')}</CommentClosed>
  const mayChange = isAuthor(data, visit) || repo.permissions.triage
  return (
    <CommentBox
      action={`${here}/comments`}
      csrf={visit.csrf}
      viewer={visit.viewer}
      repo={repo.full_name}
      value={visit.form.values.text('body')}
      error={visit.form.values.has('body') ? (visit.form.error?.message ?? null) : null}
      extra={mayChange ? <StateButtons data={data} /> : undefined}
    />
  )
}

const Description = ({ loaded, visit }: { loaded: PullData; visit: Visit }) => {
  const { data, repo, reactions } = loaded
  return (
    <Comment
      id="description"
      author={data.author}
      at={data.created_at}
      role={t('Author')}
      verb={t('opened this pull request')}
      reactions={
        <ReactionBar
          reactions={reactions}
          action={`${pullPath(data.repo, data.number)}/react`}
          visit={visit}
          mayReact={visit.viewer !== null && !repo.archived}
        />
      }
      body={
        <MarkdownBody
          text={data.body}
          options={markdownOf(
            visit,
            data.repo,
            data.agent === null ? data.author : { kind: 'agent' },
          )}
          empty={t('No description yet.')}
          whole={{
            href: textPath(pullPath(data.repo, data.number), 'description'),
            maxBytes: loaded.part.maxTextBytes,
          }}
          tasks={
            visit.viewer !== null &&
            !repo.archived &&
            (isAuthor(data, visit) || repo.permissions.triage)
              ? { action: `${pullPath(repo.full_name, data.number)}/tasks`, csrf: visit.csrf }
              : null
          }
        />
      }
    />
  )
}

const PullView = ({ loaded, visit }: { loaded: PullData; visit: Visit }) => {
  const { repo, data, notifications, statuses, mergeOptions, choices } = loaded
  const here = pullPath(repo.full_name, data.number)
  const live = {
    href: withQuery(inPart(visit, `${here}/${liveOf(loaded)}`), { state: pullState(loaded) }),
    said: announcement(data),
  }
  const isOwn = isAuthor(data, visit)
  return (
    <PullFrame visit={visit} repo={repo} pull={data.pull} current="conversation" live={live}>
      <Columns
        where="right"
        side={
          <PullSide
            data={data}
            statuses={statuses}
            repo={repo}
            visit={visit}
            mayChange={!repo.archived && (isOwn || repo.permissions.triage)}
            choices={choices}
            notifications={notifications}
          />
        }
      >
        <SummaryCard visit={visit} repo={repo.full_name} here={here} shown={loaded.summary} />
        {loaded.waitingAgent && (
          <WaitingAgentCard
            visit={visit}
            here={pullPath(repo.full_name, data.number, 'session')}
            waiting={loaded.waitingAgent}
          />
        )}
        <Conversation
          here={here}
          part={loaded.part}
          first={<Description loaded={loaded} visit={visit} />}
          items={timelineItems(loaded, visit)}
        />
        {data.status === 'draft' && isOwn && hasNoCommits(data) && <PushHelp data={data} />}
        {data.status === 'draft' && !hasNoCommits(data) && (isOwn || repo.permissions.write) && (
          <ReadyBox data={data} here={here} visit={visit} />
        )}
        <DependencyReviewCard review={loaded.dependencies} href={`${here}/dependencies`} />
        <MergeBox
          data={data}
          repo={repo}
          options={mergeOptions}
          statuses={statuses?.statuses ?? []}
          visit={visit}
        />
        <PullMemories visit={visit} repo={repo} number={data.number} memories={loaded.memories} />
        {visit.viewer !== null && isActive(data) && !isOwn && !repo.archived && (
          <ReviewBox here={here} visit={visit} repo={repo.full_name} drafts={loaded.drafts} />
        )}
        <CommentForm data={data} repo={repo} visit={visit} />
      </Columns>
    </PullFrame>
  )
}

export const pullPage = page({
  path: '/:workspace/:repo/pull/:number',
  load: loadPull,
  view: (loaded, visit) => <PullView loaded={loaded} visit={visit} />,
})
