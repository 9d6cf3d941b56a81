// One entry of a session, with all of its text. The page of the session shows the beginning of a long one.
import { getSession } from '#features/pulls/index.ts'
import {
  Breadcrumbs,
  FOLDED_KINDS,
  PageHead,
  RelativeTime,
  type StoryEntry,
} from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { markdownOf } from '../issues/conversation.tsx'
import {
  LongTextBody,
  loadLongText,
  loadPlainText,
  rawText,
  type LongText,
} from '../writing/long-text.tsx'
import { loadPullRecord } from './commits.tsx'
import { PullFrame } from './frame.tsx'

/** `session` is the address of the session. */
export const entryPath = (session: string, seq: number): string => `${session}/entry/${seq}`

/** What a step was given, the paths of an edit, and its text. */
function stepText({ text, data }: StoryEntry): string {
  const paths = Array.isArray(data?.paths) ? data.paths.join('\n') : ''
  const input = data?.input === undefined ? '' : JSON.stringify(data.input, null, 2)
  return [paths, input, text].filter((part) => part !== '').join('\n\n')
}

const loadText = async (visit: Visit, repo: string, entry: StoryEntry): Promise<LongText> =>
  FOLDED_KINDS.has(entry.kind)
    ? await loadPlainText(visit, stepText(entry))
    : await loadLongText(visit, entry.text, markdownOf(visit, repo, { kind: 'agent' }))

export const sessionEntryPage = page({
  path: '/:workspace/:repo/pull/:number/session/entry/:seq',
  load: async (visit) => {
    const found = await loadPullRecord(visit)
    const seq = /^\d{1,9}$/.exec(visit.params.seq ?? '')?.[0]
    if (!found || seq === undefined || seq === '0') return null
    const after = Number(seq) - 1
    const read = await visit.tryCall(getSession, { ...found.target, after, per_page: 1 })
    const entry = read?.items.find((one) => String(one.seq) === seq)
    if (entry === undefined) return null
    return (
      rawText(visit, FOLDED_KINDS.has(entry.kind) ? stepText(entry) : entry.text) ?? {
        ...found,
        entry,
        text: await loadText(visit, found.repo.full_name, entry),
      }
    )
  },
  view: ({ repo, pull, entry, text }, visit) => {
    const session = pullPath(repo.full_name, pull.number, 'session')
    return (
      <PullFrame visit={visit} repo={repo} pull={pull} current="session">
        <Breadcrumbs
          parts={[
            { label: t('Session'), href: `${session}?after=${entry.seq - 1}#entry-${entry.seq}` },
            { label: t('Entry {seq}', { seq: entry.seq }) },
          ]}
        />
        <PageHead
          level={2}
          title={t('Entry {seq}', { seq: entry.seq })}
          lead={<RelativeTime at={entry.at} />}
        />
        <LongTextBody visit={visit} text={text} />
      </PullFrame>
    )
  },
})
