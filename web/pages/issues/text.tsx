// The page of one text of a conversation: the description, a comment, a review, the acceptance checks,
// the labels or the summary of a model. The conversation shows only the beginning of a long one.
import { getPullSummary, type SessionSummary } from '#features/assistant/index.ts'
import { findLabels, getIssue, readConversation } from '#features/issues/index.ts'
import { getPull, listDraftComments, listReviewThreads } from '#features/pulls/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { ActorLink, Breadcrumbs, Labels, PageHead, RelativeTime } from '../../components/index.ts'
import { issuePath, pullPath, repoPath, withQuery } from '../../paths.ts'
import { DirectResponse, page, type Page, type Visit } from '../../site.ts'
import { numberOf, RepoFrame, repoOf } from '../repos/frame.tsx'
import {
  LongTextBody,
  loadLongHtml,
  loadLongText,
  loadPlainText,
  partTitle,
  rawText,
} from '../writing/long-text.tsx'
import { rich, t, texts } from '../../text.ts'
import { SummaryByline } from '../pulls/summary-card.tsx'
import { placeOf } from './conversation-part.ts'
import { markdownOf } from './conversation.tsx'

type Target = { readonly repo: string; readonly number: number }

type Writing = Parameters<typeof ActorLink>[0]['of'] & { readonly kind: string }

/** A text with who wrote it, and when. A summary is by a model, which has no account. */
type Text = { readonly body: string } & (
  | { readonly author: Writing; readonly created_at: string }
  | { readonly author: null; readonly summary: SessionSummary }
)

/** A pending comment, which only its author can read. */
async function findDraft(visit: Visit, at: Target, id: string): Promise<Text | null> {
  const { viewer } = visit
  const drafts = viewer === null ? null : await visit.tryCall(listDraftComments, at)
  const draft = drafts?.find((one) => one.id === id)
  return draft && viewer ? { ...draft, author: viewer } : null
}

async function findComment(visit: Visit, at: Target, id: string, isPull: boolean) {
  const place = placeOf(id)
  if (!/^[0-9a-hjkmnp-tv-z]{26}$/.test(place)) return null
  const part = await visit.call(readConversation, { ...at, from: place, types: [], limit: 1 })
  const found = part.comments.find((comment) => comment.id === id)
  if (found !== undefined || !isPull) return found ?? null
  const threads = await visit.call(listReviewThreads, at)
  const inThread = threads.flatMap(({ comments }) => comments).find((one) => one.id === id)
  return inThread ?? (await findDraft(visit, at, id))
}

/** What the conversation is about, with its description and reviews. Null when there is none. */
async function findSubject(visit: Visit, kind: 'issues' | 'pull', at: Target) {
  if (kind === 'issues') {
    const found = await visit.tryCall(getIssue, at)
    return (
      found && {
        ...found.issue,
        reviews: [],
        isPull: false,
        writer: found.issue.author,
        commands: found.issue.checks,
      }
    )
  }
  const pull = await visit.tryCall(getPull, at)
  return (
    pull && {
      ...pull,
      commands: [],
      isPull: true,
      writer: pull.agent === null ? pull.author : { ...pull.author, kind: 'agent' },
    }
  )
}

/** What a model wrote for the visitor about a pull request. */
async function findSummary(visit: Visit, at: Target): Promise<Text | null> {
  const found = visit.viewer === null ? null : await visit.tryCall(getPullSummary, at)
  return found?.summary ? { body: found.summary, author: null, summary: found } : null
}

type Subject = NonNullable<Awaited<ReturnType<typeof findSubject>>>

/** A text, and how it is shown. */
type Found = { readonly text: Text; readonly form: 'markdown' | 'plain' | 'labels' }

async function findIn(
  visit: Visit,
  at: Target,
  subject: Subject,
  id: string,
): Promise<Found | null> {
  const { body, labels, reviews, writer, commands, created_at, isPull } = subject
  const own = (text: string, form: Found['form']): Found | null =>
    text === '' ? null : { text: { body: text, author: writer, created_at }, form }
  if (id === 'description') return { text: { body, author: writer, created_at }, form: 'markdown' }
  if (id === 'checks') return own(commands.join('\n\n'), 'plain')
  if (id === 'labels') return own(labels.join('\n'), 'labels')
  const text =
    id === 'summary'
      ? isPull && (await findSummary(visit, at))
      : (reviews.find((review) => review.id === id) ?? (await findComment(visit, at, id, isPull)))
  return text ? { text, form: 'markdown' } : null
}

/** The labels with these names, as links to the list that has others with them. */
async function labelLinks(visit: Visit, repo: string, list: string, names: readonly string[]) {
  const known = new Map(
    (await visit.call(findLabels, { repo, names: [...names] })).map((label) => [label.name, label]),
  )
  return (
    <Labels
      labels={names.map((name) => known.get(name) ?? { name })}
      href={(name) => withQuery(repoPath(repo, list), { label: name })}
    />
  )
}

/** The titles of texts that have a name. */
const TITLES: Record<string, string | undefined> = texts({
  description: 'Description',
  checks: 'Acceptance checks',
  labels: 'Labels',
  summary: 'Summary',
})

const Byline = ({ visit, text }: { visit: Visit; text: Text }) =>
  text.author === null ? (
    <SummaryByline visit={visit} of={text.summary} />
  ) : (
    rich('{actor} wrote this {time}', {
      actor: <ActorLink of={text.author} />,
      time: <RelativeTime at={text.created_at} />,
    })
  )

const textPage = (kind: 'issues' | 'pull'): Page =>
  page({
    path: `/:workspace/:repo/${kind}/:number/text/:id`,
    load: async (visit) => {
      const number = numberOf(visit)
      if (number === null) return null
      const at = { repo: repoOf(visit), number }
      const id = visit.params.id ?? ''
      const [repo, subject] = await Promise.all([
        visit.call(getRepo, { repo: at.repo }),
        findSubject(visit, kind, at),
      ])
      const found = subject && (await findIn(visit, at, subject, id))
      if (!found) return null
      const { text, form } = found
      const typed = rawText(visit, text.body)
      if (typed instanceof DirectResponse) return typed
      const here = (kind === 'pull' ? pullPath : issuePath)(repo.full_name, number)
      const list = kind === 'pull' ? '/pulls' : '/issues'
      return {
        repo,
        text: form === 'labels' ? null : text,
        shown:
          form === 'labels'
            ? await loadLongHtml(
                visit,
                await labelLinks(visit, repo.full_name, list, subject.labels),
              )
            : form === 'plain'
              ? await loadPlainText(visit, text.body)
              : await loadLongText(
                  visit,
                  text.body,
                  markdownOf(visit, repo.full_name, text.author ?? { kind: 'agent' }),
                ),
        conversation: { title: `${subject.title} #${number}`, href: `${here}#${id}` },
        title: TITLES[id] ?? t('Comment'),
      }
    },
    view: ({ repo, text, shown, conversation, title }, visit) => (
      <RepoFrame
        visit={visit}
        repo={repo}
        title={`${partTitle(title, shown)} · ${conversation.title}`}
        current={kind === 'pull' ? 'pulls' : 'issues'}
        noindex
      >
        <Breadcrumbs
          parts={[{ label: conversation.title, href: conversation.href }, { label: title }]}
        />
        <PageHead title={title} lead={text && <Byline visit={visit} text={text} />} />
        <LongTextBody visit={visit} text={shown} />
      </RepoFrame>
    ),
  })

export const issueTextPage = textPage('issues')
export const pullTextPage = textPage('pull')
