import {
  readPull,
  getPullChanges,
  listDraftComments,
  listReviewThreads,
  type PullChanges,
} from '#features/pulls/index.ts'
import { getRepo } from '#features/repos/index.ts'
import {
  Button,
  CsrfField,
  EmptyState,
  firstItems,
  Form,
  htmlBytes,
  LinkButton,
  Notice,
  Stat,
  type DiffThread,
} from '../../components/index.ts'
import { excerptBytes } from '../../markdown/excerpt.ts'
import { pullPath } from '../../paths.ts'
import { page, safeRedirectPath, type Visit } from '../../site.ts'
import {
  changeHref,
  ChangeView,
  choiceInput,
  commentHref,
  readAtLocation,
  readChoice,
  showPart,
  type ChangeChoice,
} from '../code/change-view.tsx'
import {
  HiddenAnnotations,
  loadAnnotations,
  placeAnnotations,
  type LineAnnotation,
} from '../code/annotations.tsx'
import { linesShown } from '../code/change-parts.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { codeOf, PullFrame } from './frame.tsx'
import { LineForm, lineKey, refusedLine, requestedLine } from './line-form.tsx'
import { DraftItem, FinishBox, MAX_DRAFT_BYTES } from './pending-review.tsx'
import {
  BATCH,
  commentsBelowLine,
  Thread,
  threadCommentBytes,
  ThreadLink,
  threadRights,
  type ReviewThread,
  type ThreadRights,
} from './threads.tsx'
import { rich, t } from '../../text.ts'

/** The address of the page; of a refused form that of the page that it was on. */
const addressOf = (visit: Visit): URL =>
  new URL(safeRedirectPath(visit.form.values.text('back')) ?? visit.url, visit.url)

/** The choices of the reader; a refused form is on the page with its line. */
function choiceOf(visit: Visit): ChangeChoice {
  const choice = readChoice(addressOf(visit))
  const line = refusedLine(visit)
  return line === null ? choice : { ...choice, at: lineKey(line) }
}

async function loadChanges(visit: Visit) {
  const number = numberOf(visit)
  if (number === null) return null
  const target = { repo: repoOf(visit), number }
  const since = addressOf(visit).searchParams.get('since') ?? ''
  const [repo, detail] = await Promise.all([
    visit.call(getRepo, { repo: target.repo }),
    visit.call(readPull, target),
  ])
  const { pull } = detail
  const versionsOf = ({ head_sha, merge_base_sha }: PullChanges) => ({
    repo: codeOf(pull),
    sha: head_sha,
    ...(since === '' ? { from: merge_base_sha } : {}),
    ...(visit.viewer !== null && { pull: `${repo.full_name}#${number}` }),
  })
  const read = (choice: ChangeChoice) =>
    visit.call(getPullChanges, {
      ...target,
      ...(since === '' ? {} : { since }),
      ...choiceInput(choice),
    })
  const [{ change, choice }, threads, drafts, annotations] = await Promise.all([
    readAtLocation(visit, choiceOf(visit), read, versionsOf),
    visit.call(listReviewThreads, target),
    visit.viewer ? visit.tryCall(listDraftComments, target) : null,
    loadAnnotations(visit, {
      repo: target.repo,
      sha: pull.head?.sha ?? null,
      pull: target.number,
    }),
  ])
  // The head that this reader reviewed last.
  const seen =
    detail.reviews.findLast(({ author }) => author.id === visit.viewer?.id)?.commit ?? null
  const place = versionsOf(change)
  const below = bytesBelowLines(threads, drafts ?? [], annotations)
  const shown = await showPart(visit, place, change.files, choice, {
    canComment: visit.viewer !== null,
    bytesBelow: (path, side, line) => below.get(lineKey({ path, side, line })) ?? 0,
  })
  return {
    repo,
    pull,
    changes: change,
    shown,
    place,
    threads,
    drafts: drafts ?? [],
    annotations: placeAnnotations(annotations, shown, choice),
    since,
    seen,
    choice,
  }
}

/** A thread with its forms, and a pending comment, without their texts. */
const THREAD_BYTES = 3_000
const DRAFT_BYTES = 3_100
const ANNOTATION_BYTES = 700
/** The message of an annotation is escaped. */
const BYTES_OF_CHARACTER = 2
/** What the conversations below one line have on the page. There are links to others. */
const MAX_LINE_BYTES = 40_000
const MAX_LINKED_THREADS = 50

const threadBytes = ({ comments }: ReviewThread): number =>
  commentsBelowLine(comments).reduce(
    (sum, comment) => sum + threadCommentBytes(comment),
    THREAD_BYTES,
  )

const threadsByLine = (threads: readonly ReviewThread[]): Map<string, ReviewThread[]> =>
  Map.groupBy(threads, ({ path, side, line }) =>
    line === null ? '' : lineKey({ path, side: side === 'old' ? 'old' : 'new', line }),
  )

/** What the conversations, pending comments and annotations below each line need on the page. */
function bytesBelowLines(
  threads: readonly ReviewThread[],
  drafts: readonly { path: string; side: string; line: number; body: string }[],
  annotations: readonly LineAnnotation[],
): Map<string, number> {
  const below = new Map<string, number>()
  const add = (
    { path, side, line }: { path: string; side: string; line: number | null },
    bytes: number,
  ): void => {
    if (line === null) return
    const key = lineKey({ path, side: side === 'old' ? 'old' : 'new', line })
    below.set(key, (below.get(key) ?? 0) + bytes)
  }
  for (const of of threadsByLine(threads).values())
    for (const thread of firstItems(of, MAX_LINE_BYTES, threadBytes))
      add(thread, threadBytes(thread))
  // The text is in the form that edits it, too.
  for (const draft of drafts)
    add(draft, DRAFT_BYTES + excerptBytes(draft.body, MAX_DRAFT_BYTES) + htmlBytes(draft.body))
  for (const { path, line, message } of annotations)
    add({ path, side: 'new', line }, ANNOTATION_BYTES + BYTES_OF_CHARACTER * message.length)
  return below
}

type ChangesData = NonNullable<Awaited<ReturnType<typeof loadChanges>>>

/** What a visitor may do on the page of changes. */
interface ChangesRights extends ThreadRights {
  /** Comment on lines: not while only the commits since a review are shown. */
  comment: boolean
  /** The pull request is the visitor's own, or of an agent that works for them. */
  ownPull: boolean
  active: boolean
}

function changesRights(visit: Visit, { repo, pull, since }: ChangesData): ChangesRights {
  const rights = threadRights(visit, repo, pull)
  const active = pull.status === 'open' || pull.status === 'draft'
  return {
    ...rights,
    active,
    comment: rights.reply && active && since === '',
    ownPull:
      visit.viewer !== null &&
      [pull.author.id, pull.author.on_behalf_of?.id].includes(visit.viewer.id),
  }
}

/** The conversations, the pending comments and the open form, each below its line. */
function lineContents(
  visit: Visit,
  { repo, pull, threads, drafts, shown, choice }: ChangesData,
  rights: ChangesRights,
  here: string,
): DiffThread[] {
  const requested = rights.comment ? requestedLine(visit, shown.files) : null
  const common = { visit, repo: repo.full_name, number: pull.number }
  const lines = linesShown(shown.files, choice.split)
  const isShown = (of: Pick<ReviewThread, 'path' | 'side'> & { line: number }) =>
    lines.has(lineKey({ ...of, side: of.side === 'old' ? 'old' : 'new' }))
  return [
    ...[...threadsByLine(threads).values()].flatMap((of) => {
      const [{ path, side, line } = { path: '', side: '', line: null }] = of
      if (line === null || !isShown({ path, side, line })) return []
      const below = firstItems(of, MAX_LINE_BYTES, threadBytes)
      const place = { path, side: side === 'old' ? ('old' as const) : ('new' as const), line }
      const props = { visit, repo, number: pull.number, rights, back: here }
      return [
        ...below.map((thread) => ({ ...place, content: <Thread thread={thread} {...props} /> })),
        ...of.slice(below.length, below.length + MAX_LINKED_THREADS).map((thread) => ({
          ...place,
          content: <ThreadLink thread={thread} repo={repo} number={pull.number} />,
        })),
      ]
    }),
    ...drafts.filter(isShown).map((stored) => {
      const draft = { ...stored, side: stored.side as 'old' | 'new' }
      const { path, side, line } = draft
      return { path, side, line, content: <DraftItem draft={draft} {...common} here={here} /> }
    }),
    ...(requested
      ? [
          {
            ...requested,
            content: (
              <LineForm
                place={requested}
                {...common}
                files={shown.loaded}
                here={here}
                ownPull={rights.ownPull}
              />
            ),
          },
        ]
      : []),
  ]
}

const ApplySuggestions = ({ visit, here, back }: { visit: Visit; here: string; back: string }) => (
  <Form
    id={BATCH}
    action={`${here}/suggestions`}
    csrf={visit.csrf}
    class="batch-bar"
    inline
    label={t('Apply suggestions together')}
  >
    <input type="hidden" name="back" value={back} />
    <Button variant="primary" icon="check">
      {t('Commit suggestions')}
    </Button>
  </Form>
)

/** The forms of the viewed marks: the buttons of all files belong to one of them. */
const VIEWED_FORMS = { yes: 'mark-viewed', no: 'mark-unviewed' } as const

/**
 * `back` is the address that the forms lead to; the button of a file adds its path. The button in the
 * form is never shown: a page whose files are all viewed, or none, has no other for one of the forms.
 */
const ViewedForms = ({ visit, pull, back }: { visit: Visit; pull: string; back: string }) => (
  <>
    {(['yes', 'no'] as const).map((viewed) => (
      <form id={VIEWED_FORMS[viewed]} action={`${pull}/viewed`} method="post" hidden>
        <CsrfField csrf={visit.csrf} />
        <input type="hidden" name="viewed" value={viewed} />
        <input type="hidden" name="back" value={back} />
        <Button>{viewed === 'yes' ? t('Mark as viewed') : t('Mark as not viewed')}</Button>
      </form>
    ))}
  </>
)

const ViewedButton = ({
  file,
  sharedIcon,
}: {
  file: { path: string; viewed?: boolean }
  sharedIcon: boolean | undefined
}) => (
  <Button
    small
    variant="quiet"
    icon={file.viewed ? 'check' : 'eye'}
    sharedIcon={sharedIcon}
    form={VIEWED_FORMS[file.viewed ? 'no' : 'yes']}
    name="path"
    value={file.path}
  >
    {file.viewed ? t('Viewed') : t('Mark as viewed')}
  </Button>
)

const NoChanges = ({ since }: { since: string }) =>
  since === '' ? (
    <EmptyState icon="file" title={t('No changes yet')}>
      {t('Push commits to this pull request, and they show here.')}
    </EmptyState>
  ) : (
    <EmptyState icon="file" title={t('Nothing has changed since')}>
      {t('The change is what it was at that commit.')}
    </EmptyState>
  )

const Files = ({
  visit,
  data,
  rights,
}: {
  visit: Visit
  data: ChangesData
  rights: ChangesRights
}) => {
  const { repo, pull, changes, shown, place, since, seen, choice, threads, drafts } = data
  const here = pullPath(repo.full_name, pull.number, 'changes')
  const current = changeHref(here, choice, {}, { since })
  const head = changes.head_sha
  const conversations = new Map<string, number>()
  for (const { path } of [...threads.filter(({ line }) => line !== null), ...drafts])
    conversations.set(path, (conversations.get(path) ?? 0) + 1)
  return (
    <>
      {visit.viewer !== null && (
        <ViewedForms visit={visit} pull={pullPath(repo.full_name, pull.number)} back={current} />
      )}
      <ChangeView
        visit={visit}
        shown={shown}
        totals={changes.totals}
        viewed={changes.viewed_files}
        choice={choice}
        here={here}
        more={{ since }}
        place={place}
        conversations={conversations}
        head={
          seen !== null &&
          seen !== head &&
          since === '' && (
            <LinkButton
              href={changeHref(here, choice, { page: 1, at: '', parts: [] }, { since: seen })}
              small
            >
              {t('Since your review')}
            </LinkButton>
          )
        }
        options={{
          threads: lineContents(visit, data, rights, current),
          annotations: data.annotations.below,
          ...(rights.comment && { commentHref: commentHref(visit, here, choice) }),
          ...(visit.viewer !== null && {
            fileActions: (file, { sharedIcons }) => (
              <ViewedButton file={file} sharedIcon={sharedIcons} />
            ),
          }),
        }}
      />
    </>
  )
}

const SinceNotice = ({ since, all }: { since: string; all: string }) => (
  <Notice>
    {rich('Only what changed after {since}. <a>Show everything</a>', {
      since: <code>{since.slice(0, 7)}</code>,
      a: (inner) => <a href={all}>{inner}</a>,
    })}
  </Notice>
)

/** Annotations of lines that the page does not show; none where one file is loaded alone. */
const OtherAnnotations = ({ data: { place, choice, annotations } }: { data: ChangesData }) => (
  <HiddenAnnotations
    repo={place.repo}
    sha={place.sha}
    hidden={choice.only === '' ? annotations.hidden : []}
  />
)

export const changesPage = page({
  path: '/:workspace/:repo/pull/:number/changes',
  load: loadChanges,
  view: (data, visit) => {
    const { repo, pull, changes, threads, drafts, since, choice } = data
    const here = pullPath(repo.full_name, pull.number)
    const rights = changesRights(visit, data)
    const suggestions =
      rights.apply &&
      threads.some(
        ({ comments: [root] }) =>
          root?.suggestion != null && root.suggestion.applied_in === null && !root.outdated,
      )
    const mayReview = visit.viewer !== null && rights.active && !repo.archived
    const review = mayReview && (
      <FinishBox
        drafts={drafts.length}
        visit={visit}
        repo={repo.full_name}
        number={pull.number}
        head={changes.head_sha}
        ownPull={rights.ownPull}
      />
    )
    return (
      <PullFrame
        visit={visit}
        repo={repo}
        pull={pull}
        current="changes"
        width="wide"
        actions={
          <>
            <Stat additions={pull.additions} deletions={pull.deletions} />
            {!rights.ownPull && review}
          </>
        }
      >
        {since !== '' && (
          <SinceNotice
            since={since}
            all={changeHref(`${here}/changes`, choice, { page: 1, at: '', parts: [] })}
          />
        )}
        {rights.ownPull && review}
        <OtherAnnotations data={data} />
        {changes.files.length === 0 ? (
          <NoChanges since={since} />
        ) : (
          <Files visit={visit} data={data} rights={rights} />
        )}
        {suggestions && (
          <ApplySuggestions
            visit={visit}
            here={here}
            back={changeHref(`${here}/changes`, choice, {}, { since })}
          />
        )}
      </PullFrame>
    )
  },
})
