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
  Stat,
  type DiffThread,
} from '../../components/index.ts'
import { pullPath, withQuery } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import {
  changeHref,
  ChangeView,
  choiceInput,
  completeFiles,
  readChoice,
} from '../code/change-view.tsx'
import { HiddenAnnotations, loadAnnotations, placeAnnotations } from '../code/annotations.tsx'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { codeOf, PullFrame } from './frame.tsx'
import { LineForm, lineFormId, requestedLine } from './line-form.tsx'
import { DraftItem, FinishBox } from './pending-review.tsx'
import { BATCH, Thread, threadRights, type ThreadRights } from './threads.tsx'
import { rich, t } from '../../text.ts'

async function loadChanges(visit: Visit) {
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
  const [changes, threads, drafts, annotations] = await Promise.all([
    visit.call(getPullChanges, {
      ...target,
      ...(since === '' ? {} : { since }),
      ...choiceInput(choice),
    }),
    visit.call(listReviewThreads, target),
    visit.viewer ? visit.tryCall(listDraftComments, target) : null,
    loadAnnotations(visit, {
      repo: target.repo,
      sha: detail.pull.head?.sha ?? null,
      pull: target.number,
    }),
  ])
  // The head that this reader reviewed last.
  const seen =
    detail.reviews.findLast(({ author }) => author.id === visit.viewer?.id)?.commit ?? null
  const place = {
    repo: codeOf(detail.pull),
    sha: changes.head_sha,
    ...(since === '' ? { from: changes.merge_base_sha } : {}),
  }
  const files = await completeFiles(visit, place, changes.files, choice)
  return {
    repo,
    pull: detail.pull,
    changes: { ...changes, files },
    place,
    threads,
    drafts: drafts ?? [],
    annotations: placeAnnotations(annotations, files),
    since,
    seen,
    choice,
  }
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
  { repo, pull, threads, drafts, changes }: ChangesData,
  rights: ChangesRights,
  here: string,
): DiffThread[] {
  const requested = rights.comment ? requestedLine(visit) : null
  const common = { visit, repo: repo.full_name, number: pull.number }
  return [
    ...threads.flatMap((thread) =>
      thread.line === null
        ? []
        : {
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
                back={here}
              />
            ),
          },
    ),
    ...drafts.map((stored) => {
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
                files={changes.files}
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

/** `back` is the address that the form leads to. */
const ViewedButton = ({
  visit,
  file,
  pull,
  back,
  sharedIcon,
}: {
  visit: Visit
  file: { path: string; viewed?: boolean }
  pull: string
  back: string
  sharedIcon: boolean | undefined
}) => (
  <ActionButton
    action={`${pull}/viewed`}
    csrf={visit.csrf}
    values={{ path: file.path, viewed: file.viewed ? 'no' : 'yes', back }}
  >
    <Button small variant="quiet" icon={file.viewed ? 'check' : 'eye'} sharedIcon={sharedIcon}>
      {file.viewed ? t('Viewed') : t('Mark as viewed')}
    </Button>
  </ActionButton>
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
  const { repo, pull, changes, place, since, seen, choice } = data
  const here = pullPath(repo.full_name, pull.number, 'changes')
  const current = changeHref(here, choice, {}, { since })
  const head = changes.head_sha
  return (
    <ChangeView
      visit={visit}
      files={changes.files}
      totals={changes.totals}
      viewed={changes.viewed_files}
      choice={choice}
      here={here}
      more={{ since }}
      place={place}
      head={
        seen !== null &&
        seen !== head &&
        since === '' && (
          <LinkButton
            href={changeHref(here, choice, { page: 1, parts: [] }, { since: seen })}
            small
          >
            {t('Since your review')}
          </LinkButton>
        )
      }
      options={{
        threads: lineContents(visit, data, rights, current),
        annotations: data.annotations.below,
        ...(rights.comment && {
          commentHref: (file, side, line) =>
            `${withQuery(current, { on: file, side, line })}#${lineFormId({ path: file, side, line })}`,
        }),
        ...(visit.viewer !== null && {
          fileActions: (file, { sharedIcons }) => (
            <ViewedButton
              visit={visit}
              file={file}
              pull={pullPath(repo.full_name, pull.number)}
              back={`${current}#${diffAnchor(file.path)}`}
              sharedIcon={sharedIcons}
            />
          ),
        }),
      }}
    />
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
            all={changeHref(`${here}/changes`, choice, { page: 1, parts: [] })}
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
