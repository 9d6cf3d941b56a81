// The summary of a pull request that a model writes for the visitor.
import { getPullSummary, type SessionSummary } from '#features/assistant/index.ts'
import { getModelRoutes } from '#features/models/index.ts'
import type { PullOverview } from '#features/pulls/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { MINUTE } from '#lib/time.ts'
import {
  ActionButton,
  Button,
  LinkButton,
  MarkdownBody,
  RelativeTime,
} from '../../components/index.ts'
import { formatCost } from '../../format.ts'
import { excerptBytes } from '../../markdown/excerpt.ts'
import { textPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t, tn } from '../../text.ts'
import { modelsPath } from '../integrations/owner.tsx'
import { markdownOf } from '../issues/conversation.tsx'

const FRESH_MS = 5 * MINUTE

type Shown = {
  readonly record: SessionSummary | null
  /** Whether a model is set; without one, whether the visitor may choose it. */
  readonly model: 'set' | 'none' | 'choose'
}

/** Null for those who get no summaries, and for pull requests of which nothing is to be said. */
export async function loadSummary(visit: Visit, data: PullOverview): Promise<Shown | null> {
  if (visit.viewer === null || data.session.last_seq + data.comments_count === 0) return null
  const workspace = visit.params.workspace ?? ''
  const found = await visit.tryCall(getModelRoutes, { workspace })
  if (found === null) return null
  if (!found.routes.some(({ task }) => task === 'summarize' || task === 'default')) {
    const { role } = await visit.call(getWorkspace, { workspace })
    return { record: null, model: role === 'owner' ? 'choose' : 'none' }
  }
  const { repo, number } = data
  return { record: await visit.tryCall(getPullSummary, { repo, number }), model: 'set' }
}

type Props = { readonly visit: Visit; readonly here: string }

const AskButton = ({ visit, here, label }: Props & { label: string }) => (
  <ActionButton action={`${here}/summary`} csrf={visit.csrf}>
    <Button small icon="spark">
      {label}
    </Button>
  </ActionButton>
)

/** What the page of a pull request has of a summary. */
const MAX_SUMMARY_BYTES = 7_000

/** The bytes of a summary on that page, as estimated. */
export const summaryBytes = (shown: Shown | null): number =>
  excerptBytes(shown?.record?.summary ?? '', MAX_SUMMARY_BYTES)

/** What wrote a summary, when and at what cost. */
export const SummaryByline = ({ visit, of }: { visit: Visit; of: SessionSummary }) => (
  <>
    {t('Written by a model, for you only. Check what matters.')}{' '}
    {of.ended_at !== null && <RelativeTime at={of.ended_at} now={visit.hearth.clock.now()} />}
    {of.cost_usd !== null && <> · {formatCost(of.cost_usd)}</>}
  </>
)

const Done = ({ visit, here, repo, of }: Props & { repo: string; of: SessionSummary }) => (
  <>
    <p class="muted small">
      <SummaryByline visit={visit} of={of} />
    </p>
    <MarkdownBody
      text={of.summary ?? ''}
      options={markdownOf(visit, repo, { kind: 'agent' })}
      whole={{ href: textPath(here, 'summary'), maxBytes: MAX_SUMMARY_BYTES }}
    />
    {of.citations.length === 0 && (
      <p class="notice notice-bad">{t('This summary names no source. Check it yourself.')}</p>
    )}
    {of.dropped > 0 && (
      <p class="muted small">
        {tn(
          '{count} citation was struck, because it does not exist or you may not see it.',
          '{count} citations were struck, because they do not exist or you may not see them.',
          of.dropped,
        )}
      </p>
    )}
  </>
)

const Content = ({ visit, here, repo, shown }: Props & { repo: string; shown: Shown }) => {
  const { record, model } = shown
  if (model !== 'set')
    return (
      <>
        <p>
          {model === 'choose'
            ? t('No model writes summaries yet. Choose one to summarize, or one for all tasks.')
            : t('No model writes summaries yet. Ask an owner of the workspace to choose one.')}
        </p>
        {model === 'choose' && (
          <LinkButton small href={modelsPath(visit.params.workspace ?? '')}>
            {t('Choose a model')}
          </LinkButton>
        )}
      </>
    )
  switch (record?.status) {
    case 'summarizing':
      return <p role="status">{t('A model is summarizing. This takes up to 5 minutes.')}</p>
    case 'done':
      return <Done visit={visit} here={here} repo={repo} of={record} />
    case 'failed':
      return (
        <>
          <p class="notice notice-bad">{record.error?.message}</p>
          <AskButton visit={visit} here={here} label={t('Summarize again')} />
        </>
      )
    case 'outdated':
      return (
        <>
          <p>{t('The session or the conversation went on since your summary.')}</p>
          <AskButton visit={visit} here={here} label={t('Summarize again')} />
        </>
      )
    default:
      return (
        <>
          <p class="muted">
            {t('A model reads the session and the conversation with your rights, and cites them.')}
          </p>
          <AskButton visit={visit} here={here} label={t('Summarize')} />
        </>
      )
  }
}

/** A summary that is being made stays unfolded for those who wait, and for a while after. */
const isFresh = (visit: Visit, record: SessionSummary | null): boolean =>
  record?.status === 'summarizing' ||
  (record?.status !== 'outdated' &&
    Date.parse(record?.ended_at ?? '') > visit.hearth.clock.now() - FRESH_MS)

export const SummaryCard = ({ shown, ...rest }: Props & { repo: string; shown: Shown | null }) =>
  shown === null ? null : (
    <details class="card more" open={isFresh(rest.visit, shown.record)}>
      <summary>{t('Summary')}</summary>
      <div class="card-body">
        <Content {...rest} shown={shown} />
      </div>
    </details>
  )
