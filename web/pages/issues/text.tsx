// The page of one text of a conversation: the description, a comment, a review or the acceptance checks. The conversation
// shows only the beginning of a long one.
import { getIssue, readConversation } from '#features/issues/index.ts'
import { getPull, listDraftComments, listReviewThreads } from '#features/pulls/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { ActorLink, Breadcrumbs, PageHead, RelativeTime } from '../../components/index.ts'
import { issuePath, pullPath } from '../../paths.ts'
import { DirectResponse, page, type Page, type Visit } from '../../site.ts'
import { numberOf, RepoFrame, repoOf } from '../repos/frame.tsx'
import {
  LongTextBody,
  loadLongText,
  loadPlainText,
  partTitle,
  rawText,
} from '../writing/long-text.tsx'
import { rich, t, texts } from '../../text.ts'
import { placeOf } from './conversation-part.ts'
import { markdownOf } from './conversation.tsx'

type Target = { readonly repo: string; readonly number: number }

type Writing = Parameters<typeof ActorLink>[0]['of'] & { readonly kind: string }

/** Who wrote a text, and when. */
type Text = { readonly body: string; readonly author: Writing; readonly created_at: string }

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
      writer: pull.agent === null ? pull.author : { ...pull.author, kind: 'agent' },
    }
  )
}

async function findText(visit: Visit, kind: 'issues' | 'pull', at: Target, id: string) {
  const subject = await findSubject(visit, kind, at)
  if (subject === null) return null
  const { title, body, writer, commands, created_at } = subject
  if (id === 'checks' && commands.length > 0)
    return {
      title,
      text: { body: commands.join('\n\n'), author: writer, created_at },
      isPlain: true,
    }
  const text: Text | null | undefined =
    id === 'description'
      ? { body, author: writer, created_at }
      : (subject.reviews.find((review) => review.id === id) ??
        (await findComment(visit, at, id, kind === 'pull')))
  return text ? { title, text, isPlain: false } : null
}

/** The titles of texts that have a name. */
const TITLES: Record<string, string | undefined> = texts({
  description: 'Description',
  checks: 'Acceptance checks',
})

const textPage = (kind: 'issues' | 'pull'): Page =>
  page({
    path: `/:workspace/:repo/${kind}/:number/text/:id`,
    load: async (visit) => {
      const number = numberOf(visit)
      if (number === null) return null
      const at = { repo: repoOf(visit), number }
      const id = visit.params.id ?? ''
      const [repo, found] = await Promise.all([
        visit.call(getRepo, { repo: at.repo }),
        findText(visit, kind, at, id),
      ])
      if (found === null) return null
      const { title, text, isPlain } = found
      const typed = rawText(visit, text.body)
      if (typed instanceof DirectResponse) return typed
      const here = (kind === 'pull' ? pullPath : issuePath)(repo.full_name, number)
      const options = markdownOf(visit, repo.full_name, text.author)
      return {
        repo,
        text,
        shown: isPlain
          ? await loadPlainText(visit, text.body)
          : await loadLongText(visit, text.body, options),
        conversation: { title: `${title} #${number}`, href: `${here}#${id}` },
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
        <PageHead
          title={title}
          lead={rich('{actor} wrote this {time}', {
            actor: <ActorLink of={text.author} />,
            time: <RelativeTime at={text.created_at} />,
          })}
        />
        <LongTextBody visit={visit} text={shown} />
      </RepoFrame>
    ),
  })

export const issueTextPage = textPage('issues')
export const pullTextPage = textPage('pull')
