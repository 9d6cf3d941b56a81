// One alert of a scanner: the lines, the rule, where it is, and what to do with it.
import { getFile, getRepo, type Repo } from '#features/repos/index.ts'
import {
  getCodeScanningAlert,
  updateCodeScanningAlert,
  type CodeAlert,
} from '#features/security/index.ts'
import { Refusal } from '#lib/errors.ts'
import { lineAddress } from '#lib/line-address.ts'
import {
  Breadcrumbs,
  Card,
  CodeView,
  Facts,
  PageHead,
  RelativeTime,
} from '../../components/index.ts'
import { escapeLines } from '../../highlight.ts'
import type { Html } from '../../jsx/html.ts'
import { codeAlertsPath, codePath } from '../../paths.ts'
import { type DirectResponse, page, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import {
  AlertState,
  dismissalFacts,
  dismissalForms,
  DismissForm,
  ReopenButton,
} from './dismissal.tsx'
import { LongTextBody, loadLongText, rawText, type LongText } from '../writing/long-text.tsx'
import { SecurityFrame, securityMarkdown } from './frame.tsx'
import { SeverityChip } from './severity.tsx'

type Excerpt = { readonly from: number; readonly text: string }
type Shown = {
  readonly repo: Repo
  readonly alert: CodeAlert
  readonly excerpt: Excerpt | null
  /** What the scanner says about the rule. */
  readonly help: LongText | null
}

/** Lines above and below the alert. */
const CONTEXT_LINES = 4
const MAX_LINES = 40

const alertPath = (visit: Visit, rest = ''): string =>
  codeAlertsPath(repoOf(visit), `/${visit.params.alert ?? ''}${rest}`)

/** The lines around an alert; null when the commit or the file is gone. */
async function readExcerpt(visit: Visit, alert: CodeAlert): Promise<Excerpt | null> {
  if (alert.commit_sha === null || alert.start_line === null) return null
  const from = Math.max(1, alert.start_line - CONTEXT_LINES)
  const end = (alert.end_line ?? alert.start_line) + CONTEXT_LINES
  try {
    const file = await visit.call(getFile, {
      repo: repoOf(visit),
      ref: alert.commit_sha,
      path: alert.path,
      from_line: from,
      to_line: Math.min(end, from + MAX_LINES),
    })
    return file.binary || file.encoding !== 'utf-8' ? null : { from, text: file.content ?? '' }
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

const Lines = ({ repo, alert, excerpt }: Omit<Shown, 'help'>) => (
  <Card
    flush
    title={
      <a
        href={
          codePath(repo.full_name, 'blob', alert.commit_sha ?? '', alert.path) +
          lineAddress(alert.start_line ?? 1)
        }
      >
        <code>
          {alert.path}:{alert.start_line}
        </code>
      </a>
    }
  >
    {excerpt && (
      <CodeView lines={escapeLines(excerpt.text)} from={excerpt.from} label={alert.path} />
    )}
  </Card>
)

const alertFacts = (visit: Visit, alert: CodeAlert) => {
  const at = (time: string) => <RelativeTime at={time} now={visit.hearth.clock.now()} />
  return [
    { label: t('Rule'), value: <code>{alert.rule.id}</code> },
    { label: t('Tool'), value: [alert.tool, alert.tool_version].filter(Boolean).join(' ') },
    { label: t('First seen'), value: at(alert.first_seen_at) },
    ...(alert.fixed_at === null ? [] : [{ label: t('Fixed'), value: at(alert.fixed_at) }]),
    ...dismissalFacts(visit, alert),
    {
      label: t('Found on'),
      value: [...new Set(alert.instances.map(({ ref }) => ref.replace('refs/heads/', '')))].join(
        ', ',
      ),
    },
  ]
}

const AlertView = ({ visit, repo, alert, excerpt, help }: Shown & { visit: Visit }): Html => (
  <SecurityFrame
    visit={visit}
    repo={repo}
    title={alert.rule.name ?? alert.rule.id}
    current="code-scanning"
    seesFindings
  >
    <Breadcrumbs
      parts={[
        { label: t('Code scanning'), href: codeAlertsPath(repo.full_name) },
        { label: `#${alert.number}` },
      ]}
    />
    <PageHead
      title={alert.rule.name ?? alert.rule.id}
      lead={<bdi>{alert.message}</bdi>}
      actions={
        alert.state === 'dismissed' && (
          <ReopenButton visit={visit} action={alertPath(visit, '/reopen')} />
        )
      }
    />
    <p class="actions">
      <AlertState of={alert} />
      <SeverityChip severity={alert.severity} />
    </p>
    {alert.commit_sha !== null && <Lines repo={repo} alert={alert} excerpt={excerpt} />}
    <Card title={t('About')}>
      <Facts facts={alertFacts(visit, alert)} />
      {alert.rule.description !== null && (
        <p>
          <bdi>{alert.rule.description}</bdi>
        </p>
      )}
      {help !== null && <LongTextBody visit={visit} text={help} />}
    </Card>
    {alert.state === 'open' && <DismissForm visit={visit} action={alertPath(visit, '/dismiss')} />}
  </SecurityFrame>
)

export const codeAlertPage = page({
  path: '/:workspace/:repo/security/code-scanning/:alert',
  load: async (visit): Promise<Shown | DirectResponse> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const alert = await visit.call(getCodeScanningAlert, {
      repo: repo.full_name,
      id: visit.params.alert ?? '',
    })
    const text = alert.rule.help
    const typed = text === null ? null : rawText(visit, text)
    if (typed !== null) return typed
    const options = securityMarkdown(visit, repo)
    return {
      repo,
      alert,
      excerpt: await readExcerpt(visit, alert),
      help: text === null ? null : await loadLongText(visit, text, options, alertPath(visit)),
    }
  },
  view: (shown, visit) => <AlertView visit={visit} {...shown} />,
})

export const codeAlertForms = dismissalForms(codeAlertPage, alertPath, (visit, change) =>
  visit.call(updateCodeScanningAlert, {
    repo: repoOf(visit),
    id: visit.params.alert ?? '',
    ...change,
  }),
)
