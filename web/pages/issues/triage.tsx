// What a model proposes for an issue, for people with Triage.
import type { Issue } from '#features/issues/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  decideTriageProposal,
  getIssueTriage,
  triageIssue,
  type IssueTriage,
  type TriageProposal,
} from '#features/triage/index.ts'
import { ActionButton, Button, Card, List, Row } from '../../components/index.ts'
import { issuePath } from '../../paths.ts'
import { action, redirectWithFlash, type Page, type Visit } from '../../site.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { rich, t, texts } from '../../text.ts'

/** Null for visitors who may not decide, and where nothing was proposed and triage is off. */
export async function loadTriage(
  visit: Visit,
  repo: Repo,
  number: number,
): Promise<IssueTriage | null> {
  if (visit.viewer === null || !repo.permissions.triage || repo.archived) return null
  const triage = await visit.call(getIssueTriage, { repo: repo.full_name, number })
  return triage.enabled || triage.proposals.length > 0 ? triage : null
}

const SEVERITY_WORDS = texts({
  critical: 'Severity: critical',
  high: 'Severity: high',
  medium: 'Severity: medium',
  low: 'Severity: low',
} as const)

const describe = ({ label, duplicate_of, severity, question }: TriageProposal, repo: string) => {
  if (label !== null) return rich('Add the label {label}', { label: <bdi>{label}</bdi> })
  if (severity !== null) return SEVERITY_WORDS[severity]
  if (duplicate_of !== null)
    return rich('Close as a duplicate of {issue}', {
      issue: (
        <a href={issuePath(repo, duplicate_of.number)}>
          #{duplicate_of.number} <bdi>{duplicate_of.title}</bdi>
        </a>
      ),
    })
  return rich('Ask the author: {question}', { question: <bdi>{question ?? ''}</bdi> })
}

const Proposal = ({
  visit,
  here,
  repo,
  proposal,
}: {
  visit: Visit
  here: string
  repo: string
  proposal: TriageProposal
}) => (
  <Row
    title={describe(proposal, repo)}
    meta={<bdi>{proposal.reason}</bdi>}
    end={
      proposal.state === 'open' ? (
        <div class="actions">
          {(['accept', 'dismiss'] as const).map((decision) => (
            <ActionButton
              action={`${here}/triage/decide`}
              csrf={visit.csrf}
              values={{ proposal: proposal.id, decision }}
            >
              <Button small variant={decision === 'accept' ? 'primary' : undefined}>
                {decision === 'accept' ? t('Accept') : t('Dismiss')}
              </Button>
            </ActionButton>
          ))}
        </div>
      ) : (
        <span class="muted">{t('Added')}</span>
      )
    }
  />
)

const AskAgain = ({ visit, here, label }: { visit: Visit; here: string; label: string }) => (
  <ActionButton action={`${here}/triage`} csrf={visit.csrf}>
    <Button small variant="quiet">
      {label}
    </Button>
  </ActionButton>
)

/** Shows what waits for a decision, and what was added without one. */
export const TriageCard = ({
  visit,
  here,
  triage,
  issue,
}: {
  visit: Visit
  here: string
  triage: IssueTriage | null
  issue: Issue
}) => {
  if (triage === null) return null
  const { status, enabled, error } = triage
  const shown = triage.proposals.filter(({ state }) => state === 'open' || state === 'applied')
  const mayAsk = enabled && issue.state === 'open'
  if (status === 'waiting') return <p class="muted">{t('A model is reading this issue.')}</p>
  if (status === 'failed')
    return (
      <p class="muted">
        {t('The model proposed nothing: {message}', { message: error?.message ?? '' })}{' '}
        {mayAsk && <AskAgain visit={visit} here={here} label={t('Retry')} />}
      </p>
    )
  if (status === 'none' && mayAsk)
    return (
      <p>
        <AskAgain visit={visit} here={here} label={t('Have a model triage this issue')} />
      </p>
    )
  if (shown.length === 0) return null
  return (
    <Card title={t('Proposed by a model')} flush>
      <List label={t('Proposed by a model')}>
        {shown.map((proposal) => (
          <Proposal visit={visit} here={here} repo={issue.repo} proposal={proposal} />
        ))}
      </List>
    </Card>
  )
}

/** `on` is the page that shows the proposals. */
export const triageFormsOn = (on: Page) => [
  action({
    path: '/:workspace/:repo/issues/:number/triage',
    page: on,
    submit: async (visit) => {
      const at = { repo: repoOf(visit), number: numberOf(visit) ?? 0 }
      await visit.call(triageIssue, at)
      return issuePath(at.repo, at.number)
    },
  }),
  action({
    path: '/:workspace/:repo/issues/:number/triage/decide',
    page: on,
    submit: async (visit, fields) => {
      const at = { repo: repoOf(visit), number: numberOf(visit) ?? 0 }
      const decision = fields.text('decision') === 'accept' ? 'accept' : 'dismiss'
      await visit.call(decideTriageProposal, { ...at, proposal: fields.text('proposal'), decision })
      return redirectWithFlash(
        visit,
        issuePath(at.repo, at.number),
        decision === 'accept' ? 'proposal-accepted' : 'proposal-dismissed',
      )
    },
  }),
]
