// Private reports of vulnerabilities: the list for reviewers, one report, and the form to report.
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  createVulnerabilityReport,
  followVulnerabilityReport,
  getSecurityOverview,
  getVulnerabilityReport,
  listVulnerabilityReports,
  REPORT_SEVERITIES,
  REPORT_STATES,
  reviewVulnerabilityReport,
  type ReportState,
  type VulnerabilityReport,
} from '#features/security/index.ts'
import { invalid } from '#lib/errors.ts'
import {
  ActorLink,
  Badge,
  Breadcrumbs,
  Button,
  Card,
  EmptyState,
  Facts,
  Field,
  FilterBar,
  Form,
  FormActions,
  FormError,
  Icon,
  List,
  PageHead,
  Pager,
  RelativeTime,
  Row,
  Select,
  TextArea,
  type Tone,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { action, DirectResponse, page, redirectWithFlash, type Visit } from '../../site.ts'
import { rich, t, texts } from '../../text.ts'
import { loadSecurityPolicy, type SecurityPolicy } from '../issues/template-load.ts'
import { repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { isReportProof, REPORT_PROOF_BITS, reportChallenge } from '../../report-proof.ts'
import { SecurityFrame, securityPath } from './frame.tsx'
import { LongTextBody, loadLongText, rawText, type LongText } from '../writing/long-text.tsx'
import { securityMarkdown } from './frame.tsx'
import { PolicyCard } from './policy.tsx'
import { SEVERITY_LABELS, SeverityChip } from './severity.tsx'

const reportsPath = (repo: string, rest = ''): string => securityPath(repo, `/reports${rest}`)

const STATES = texts({ new: 'New', accepted: 'Accepted', declined: 'Declined' })
const TONES: Readonly<Record<ReportState, Tone>> = {
  new: 'wait',
  accepted: 'good',
  declined: 'plain',
}

type ListShown = {
  readonly repo: Repo
  readonly reports: readonly VulnerabilityReport[]
  readonly state: ReportState | null
  readonly page: number
  readonly next: string | null
}

const ReportRow = ({ visit, report }: { visit: Visit; report: VulnerabilityReport }) => (
  <Row
    mark={<Icon name={report.state === 'new' ? 'inbox' : 'check-circle'} />}
    title={
      <a class="row-link" href={reportsPath(report.repo, `/${report.id}`)}>
        {report.title}
      </a>
    }
    meta={
      <>
        <span>{STATES[report.state]}</span>
        {report.reporter ? (
          <span>
            <ActorLink of={report.reporter} face={false} />
          </span>
        ) : (
          <span>{report.reporter_email}</span>
        )}
        <RelativeTime at={report.created_at} now={visit.hearth.clock.now()} />
      </>
    }
    end={report.severity && <SeverityChip severity={report.severity} />}
  />
)

const ReportsView = ({
  visit,
  repo,
  reports,
  state,
  ...shown
}: ListShown & { visit: Visit }): Html => {
  const at = (change: { state?: string; page?: number }) =>
    withQuery(reportsPath(repo.full_name), { state: state ?? undefined, ...change })
  return (
    <SecurityFrame visit={visit} repo={repo} title={t('Reports')} current="reports" seesFindings>
      <PageHead title={t('Reports')} lead={t('Vulnerabilities that people reported in private.')} />
      <FilterBar
        label={t('Reports by state')}
        filters={[
          { label: t('All'), href: at({ state: undefined }), current: state === null },
          ...REPORT_STATES.map((one) => ({
            label: STATES[one],
            href: at({ state: one }),
            current: state === one,
          })),
        ]}
      />
      {reports.length === 0 ? (
        <EmptyState icon="inbox" title={t('No reports')}>
          {rich('Whoever can read this repository can <a>report a vulnerability</a>.', {
            a: (inner) => <a href={reportsPath(repo.full_name, '/new')}>{inner}</a>,
          })}
        </EmptyState>
      ) : (
        <List label={t('Reports')}>
          {reports.map((report) => (
            <ReportRow visit={visit} report={report} />
          ))}
        </List>
      )}
      <Pager
        newer={shown.page > 1 ? at({ page: shown.page - 1 }) : null}
        older={shown.next === null ? null : at({ page: shown.page + 1 })}
        label={t('Reports')}
      />
    </SecurityFrame>
  )
}

export const reportsPage = page({
  path: '/:workspace/:repo/security/reports',
  load: async (visit): Promise<ListShown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const state = REPORT_STATES.find((one) => one === visit.url.searchParams.get('state')) ?? null
    const page = pageNumber(visit)
    const { items, next } = await visit.call(listVulnerabilityReports, {
      repo: repo.full_name,
      state: state ?? undefined,
      page,
    })
    return { repo, reports: items, state, page, next }
  },
  view: (shown, visit) => <ReportsView visit={visit} {...shown} />,
})

type NewShown = {
  readonly repo: Repo
  readonly seesFindings: boolean
  readonly policy: SecurityPolicy | null
  /** Null for people who are signed in, and where nobody is asked for work. */
  readonly challenge: string | null
}

/** Without a script nothing solves the challenge, so those readers are told before they write. */
const ProofFields = ({ challenge, path }: { challenge: string; path: string }) => (
  <>
    <input type="hidden" name="challenge" value={challenge} />
    <input
      type="hidden"
      name="answer"
      value=""
      data-work={challenge}
      data-bits={String(REPORT_PROOF_BITS)}
    />
    <noscript>
      <p>
        {rich('Sending without an account needs a script. Without one, <a>sign in</a> to report.', {
          a: (inner) => <a href={`/login?next=${encodeURIComponent(path)}`}>{inner}</a>,
        })}
      </p>
    </noscript>
  </>
)

const EmailField = ({ visit }: { visit: Visit }) => (
  <Field
    name="email"
    label={t('Email')}
    type="email"
    required
    maxlength={254}
    value={visit.form.values.text('email')}
    error={fieldError(visit, 'email')}
    hint={t('Where you can be answered. Only those who read the report see it.')}
  />
)

const ReportForm = ({
  visit,
  repo,
  challenge,
}: {
  visit: Visit
  repo: Repo
  challenge: string | null
}) => {
  const { values } = visit.form
  return (
    <Form
      action={reportsPath(repo.full_name, '/new')}
      csrf={visit.csrf}
      error={formError(visit, 'title', 'description', 'severity', 'email')}
    >
      <Field
        name="title"
        label={t('Title')}
        required
        maxlength={250}
        value={values.text('title')}
        error={fieldError(visit, 'title')}
      />
      <TextArea
        name="description"
        label={t('Description')}
        required
        rows={10}
        maxlength={60_000}
        value={values.text('description')}
        error={fieldError(visit, 'description')}
        hint={t('What is wrong, how it is exploited, and which versions are affected.')}
      />
      <Select
        name="severity"
        label={t('Severity')}
        value={values.text('severity')}
        error={fieldError(visit, 'severity')}
        options={[
          { value: '', label: t('Not known') },
          ...REPORT_SEVERITIES.map((value) => ({ value, label: SEVERITY_LABELS[value] })),
        ]}
      />
      {visit.viewer === null && <EmailField visit={visit} />}
      {challenge !== null && (
        <ProofFields challenge={challenge} path={reportsPath(repo.full_name, '/new')} />
      )}
      <FormActions>
        <Button variant="primary">{t('Send report')}</Button>
      </FormActions>
    </Form>
  )
}

export const newReportPage = page({
  path: '/:workspace/:repo/security/reports/new',
  load: async (visit): Promise<NewShown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const overview = await visit.call(getSecurityOverview, { repo: repo.full_name })
    return {
      repo,
      seesFindings: overview.can_see_findings,
      policy: await loadSecurityPolicy(visit, repo),
      challenge: visit.viewer === null ? reportChallenge(visit.hearth, repo.full_name) : null,
    }
  },
  view: ({ repo, seesFindings, policy, challenge }, visit) => (
    <SecurityFrame
      visit={visit}
      repo={repo}
      title={t('Report a vulnerability')}
      current="overview"
      seesFindings={seesFindings}
    >
      <PageHead
        title={t('Report a vulnerability')}
        lead={t('Only people with Write and security managers of this repository read it.')}
      />
      {policy !== null && <PolicyCard visit={visit} repo={repo} policy={policy} />}
      <ReportForm visit={visit} repo={repo} challenge={challenge} />
    </SecurityFrame>
  ),
})

export const newReportForm = action({
  path: '/:workspace/:repo/security/reports/new',
  page: newReportPage,
  allowsAnonymous: true,
  submit: async (visit, fields) => {
    const email = fields.optional('email')
    const { full_name } = await visit.call(getRepo, { repo: repoOf(visit) })
    const proof = { challenge: fields.text('challenge'), answer: fields.text('answer') }
    if (visit.viewer === null && !isReportProof(visit.hearth, full_name, proof))
      throw invalid(
        'answer',
        t(
          'Your browser had not finished its proof of work. Wait a moment and send the report again.',
        ),
      )
    const severity = REPORT_SEVERITIES.find((one) => one === fields.text('severity'))
    const { id, secret } = await visit.call(createVulnerabilityReport, {
      repo: repoOf(visit),
      title: fields.text('title'),
      description: fields.text('description'),
      ...(severity === undefined ? {} : { severity }),
      ...(email ? { email } : {}),
    })
    return secret === null
      ? redirectWithFlash(visit, reportsPath(repoOf(visit), `/${id}`), 'report-sent')
      : redirectWithFlash(visit, new URL(secret).pathname, 'report-sent-by-link')
  },
})

type OneShown = {
  readonly repo: Repo
  readonly report: VulnerabilityReport
  readonly description: LongText
  readonly seesFindings: boolean
}

const ReviewForm = ({
  visit,
  repo,
  report,
}: {
  visit: Visit
  repo: Repo
  report: VulnerabilityReport
}) => (
  <Card title={t('Review report')}>
    <Form
      action={reportsPath(repo.full_name, `/${report.id}/review`)}
      csrf={visit.csrf}
      error={formError(visit, 'note', 'severity')}
    >
      <Select
        name="severity"
        label={t('Severity')}
        required
        value={visit.form.values.text('severity') || (report.severity ?? '')}
        error={fieldError(visit, 'severity')}
        options={[
          { value: '', label: t('Not chosen') },
          ...REPORT_SEVERITIES.map((value) => ({ value, label: SEVERITY_LABELS[value] })),
        ]}
      />
      <Field
        name="note"
        label={t('Note')}
        maxlength={5000}
        value={report.review_note ?? ''}
        error={fieldError(visit, 'note')}
        hint={t('For reviewers. The reporter does not see it.')}
      />
      <FormActions>
        <Button variant="primary" name="state" value="accepted">
          {t('Accept report')}
        </Button>
        {report.state === 'new' && (
          <Button name="state" value="declined" formnovalidate>
            {t('Decline report')}
          </Button>
        )}
      </FormActions>
    </Form>
  </Card>
)

const ReportBody = ({
  visit,
  repo,
  report,
  description,
}: Omit<OneShown, 'seesFindings'> & { visit: Visit }) => (
  <>
    <p class="actions">
      <Badge tone={TONES[report.state]}>{STATES[report.state]}</Badge>
      {report.severity && <SeverityChip severity={report.severity} />}
    </p>
    <Card title={t('Description')}>
      <LongTextBody visit={visit} text={description} />
    </Card>
    <Card title={t('About')}>
      <Facts
        facts={[
          {
            label: t('By'),
            value: report.reporter ? <ActorLink of={report.reporter} /> : t('without an account'),
          },
          ...(report.reporter_email === null
            ? []
            : [{ label: t('Email'), value: report.reporter_email }]),
          {
            label: t('Reported'),
            value: <RelativeTime at={report.created_at} now={visit.hearth.clock.now()} />,
          },
          ...(report.review_note === null ? [] : [{ label: t('Note'), value: report.review_note }]),
        ]}
      />
      {report.advisory_id !== null && (
        <p>
          <a href={securityPath(repo.full_name, `/advisories/${report.advisory_id}`)}>
            {t('Work on the advisory')}
          </a>
        </p>
      )}
    </Card>
  </>
)

const ReportView = ({
  visit,
  repo,
  report,
  description,
  seesFindings,
}: OneShown & { visit: Visit }): Html => (
  <SecurityFrame
    visit={visit}
    repo={repo}
    title={report.title}
    current="reports"
    seesFindings={seesFindings}
  >
    <Breadcrumbs
      parts={
        seesFindings
          ? [{ label: t('Reports'), href: reportsPath(repo.full_name) }, { label: report.title }]
          : [{ label: t('Security'), href: securityPath(repo.full_name) }, { label: report.title }]
      }
    />
    <PageHead title={report.title} />
    {visit.form.error !== null && <FormError>{visit.form.error.message}</FormError>}
    <ReportBody visit={visit} repo={repo} report={report} description={description} />
    {seesFindings && report.state !== 'accepted' && (
      <ReviewForm visit={visit} repo={repo} report={report} />
    )}
  </SecurityFrame>
)

/** The description in parts, or as it was typed. `here` is the address of the page. */
const loadDescription = async (
  visit: Visit,
  repo: Repo,
  { description }: VulnerabilityReport,
  here: string,
): Promise<LongText | DirectResponse> =>
  rawText(visit, description) ??
  (await loadLongText(visit, description, securityMarkdown(visit, repo), here))

/** What a reporter without an account sees: the report and how far it is. */
export const followReportPage = page({
  path: '/:workspace/:repo/security/reports/follow/:secret',
  load: async (visit) => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const report = await visit.call(followVulnerabilityReport, {
      repo: repo.full_name,
      secret: visit.params.secret ?? '',
    })
    const text = await loadDescription(visit, repo, report, visit.url.pathname)
    return text instanceof DirectResponse ? text : { repo, report, description: text }
  },
  view: ({ repo, report, description }, visit) => (
    <SecurityFrame
      visit={visit}
      repo={repo}
      title={report.title}
      current="overview"
      seesFindings={false}
      noindex
    >
      <PageHead
        title={report.title}
        lead={t(
          'This page is yours: whoever has its address can read it. Keep the address, nothing else leads here.',
        )}
      />
      <ReportBody visit={visit} repo={repo} report={report} description={description} />
    </SecurityFrame>
  ),
})

export const reportPage = page({
  path: '/:workspace/:repo/security/reports/:report',
  load: async (visit): Promise<OneShown | DirectResponse> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const report = await visit.call(getVulnerabilityReport, {
      repo: repo.full_name,
      id: visit.params.report ?? '',
    })
    const overview = await visit.call(getSecurityOverview, { repo: repo.full_name })
    const here = reportsPath(repo.full_name, `/${report.id}`)
    const description = await loadDescription(visit, repo, report, here)
    return description instanceof DirectResponse
      ? description
      : { repo, report, description, seesFindings: overview.can_see_findings }
  },
  view: (shown, visit) => <ReportView visit={visit} {...shown} />,
})

export const reviewReportForm = action({
  path: '/:workspace/:repo/security/reports/:report/review',
  page: reportPage,
  submit: async (visit, fields) => {
    const severity = REPORT_SEVERITIES.find((one) => one === fields.text('severity'))
    const state = fields.text('state') === 'accepted' ? 'accepted' : 'declined'
    if (state === 'accepted' && severity === undefined)
      throw invalid('severity', t('Choose a severity to accept the report.'))
    const report = await visit.call(reviewVulnerabilityReport, {
      repo: repoOf(visit),
      id: visit.params.report ?? '',
      state,
      note: fields.optional('note') ?? null,
      ...(severity === undefined ? {} : { severity }),
    })
    return report.advisory_id === null
      ? redirectWithFlash(visit, reportsPath(repoOf(visit), `/${report.id}`), 'report-declined')
      : redirectWithFlash(
          visit,
          securityPath(repoOf(visit), `/advisories/${report.advisory_id}`),
          'report-accepted',
        )
  },
})
