// Advisories of a repository: the list, and one with what its managers may do.
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  getAdvisory,
  getSecurityOverview,
  listAdvisories,
  osvDocument,
  REPORT_SEVERITIES,
  updateAdvisory,
  type Advisory,
  type AdvisoryState,
} from '#features/security/index.ts'
import { invalid, notFound } from '#lib/errors.ts'
import {
  ActionButton,
  Badge,
  Breadcrumbs,
  Button,
  Card,
  EmptyState,
  Facts,
  Field,
  Form,
  FormActions,
  FormError,
  Icon,
  LinkButton,
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
import {
  action,
  DirectResponse,
  page,
  redirectWithFlash,
  type Fields,
  type Visit,
} from '../../site.ts'
import { formatNumber } from '../../format.ts'
import { t, texts } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { pageOfRows, RowSteps } from '../row-form.tsx'
import { LongTextBody, loadLongText, rawText, type LongText } from '../writing/long-text.tsx'
import { SecurityFrame, securityMarkdown, securityPath } from './frame.tsx'
import { loadWork, WorkCards, type AdvisoryWork } from './private-fork.tsx'
import { SEVERITY_LABELS, SeverityChip } from './severity.tsx'

const advisoriesPath = (repo: string, rest = ''): string => securityPath(repo, `/advisories${rest}`)

const OSV_ENDING = '.json'

const STATES = texts({ draft: 'Draft', published: 'Published', withdrawn: 'Withdrawn' })
const TONES: Readonly<Record<AdvisoryState, Tone>> = {
  draft: 'plain',
  published: 'good',
  withdrawn: 'wait',
}

type ListShown = {
  readonly repo: Repo
  readonly advisories: readonly Advisory[]
  readonly seesFindings: boolean
  readonly manages: boolean
  readonly page: number
  readonly next: string | null
}

const AdvisoriesView = ({ visit, repo, ...shown }: ListShown & { visit: Visit }): Html => {
  const at = (number: number) => withQuery(advisoriesPath(repo.full_name), { page: number })
  return (
    <SecurityFrame
      visit={visit}
      repo={repo}
      title={t('Advisories')}
      current="advisories"
      seesFindings={shown.seesFindings}
    >
      <PageHead
        title={t('Advisories')}
        lead={t('Vulnerabilities of this repository, and the versions that fix them.')}
        actions={
          shown.manages && (
            <LinkButton href={advisoriesPath(repo.full_name, '/new')}>
              {t('New advisory')}
            </LinkButton>
          )
        }
      />
      {shown.advisories.length === 0 ? (
        <EmptyState icon="shield" title={t('No advisories')}>
          {t(
            'An advisory says which versions have a vulnerability, and which one fixes it. Accepting a private report begins one.',
          )}
        </EmptyState>
      ) : (
        <List label={t('Advisories')}>
          {shown.advisories.map((advisory) => (
            <Row
              mark={<Icon name="shield" />}
              title={
                <a class="row-link" href={advisoriesPath(repo.full_name, `/${advisory.id}`)}>
                  {advisory.title}
                </a>
              }
              meta={
                <>
                  <span>{STATES[advisory.state]}</span>
                  {advisory.cve !== null && <span>{advisory.cve}</span>}
                  <RelativeTime
                    at={advisory.published_at ?? advisory.created_at}
                    now={visit.hearth.clock.now()}
                  />
                </>
              }
              end={<SeverityChip severity={advisory.severity} />}
            />
          ))}
        </List>
      )}
      <Pager
        newer={shown.page > 1 ? at(shown.page - 1) : null}
        older={shown.next === null ? null : at(shown.page + 1)}
        label={t('Advisories')}
      />
    </SecurityFrame>
  )
}

export const advisoriesPage = page({
  path: '/:workspace/:repo/security/advisories',
  load: async (visit): Promise<ListShown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const page = pageNumber(visit)
    const { items, next } = await visit.call(listAdvisories, { repo: repo.full_name, page })
    const overview = await visit.call(getSecurityOverview, { repo: repo.full_name })
    return {
      repo,
      advisories: items,
      seesFindings: overview.can_see_findings,
      manages: overview.can_manage_advisories,
      page,
      next,
    }
  },
  view: (shown, visit) => <AdvisoriesView visit={visit} {...shown} />,
})

type OneShown = {
  readonly repo: Repo
  readonly advisory: Advisory
  readonly description: LongText
  readonly seesFindings: boolean
  readonly manages: boolean
  readonly work: AdvisoryWork | null
}

/** The versions of the first package. More of them are kept as they are. */
const PackageFields = ({ visit, advisory }: { visit: Visit; advisory: Advisory }) => {
  const { values, error } = visit.form
  const [first] = advisory.packages
  const shown = (name: string, stored: string | null | undefined) =>
    error === null ? (stored ?? '') : values.text(name)
  return (
    <>
      <Field
        name="package_type"
        label={t('Package type')}
        placeholder={t('npm')}
        maxlength={200}
        value={shown('package_type', first?.type)}
      />
      <Field
        name="package"
        label={t('Package')}
        maxlength={200}
        value={shown('package', first?.name)}
        error={fieldError(visit, 'packages')}
      />
      <Field
        name="vulnerable"
        label={t('Affected versions')}
        placeholder={t('>= 1.0, < 1.4.2')}
        maxlength={200}
        value={shown('vulnerable', first?.vulnerable)}
      />
      <Field
        name="patched"
        label={t('Fixed version')}
        maxlength={200}
        value={shown('patched', first?.patched)}
        hint={t('The first version without the fault. Left empty, there is none yet.')}
      />
    </>
  )
}

const scoreFacts = ({ cvss, cvss_score }: Advisory) =>
  cvss === null || cvss_score === null
    ? []
    : [
        {
          label: t('CVSS'),
          value: (
            <>
              {formatNumber(cvss_score)} <code>{cvss}</code>
            </>
          ),
        },
      ]

type FieldProps = { visit: Visit; advisory: Advisory }

const CvssField = ({ visit, advisory }: FieldProps) => (
  <Field
    name="cvss"
    label={t('CVSS vector')}
    maxlength={200}
    value={visit.form.values.optional('cvss') ?? advisory.cvss ?? ''}
    error={fieldError(visit, 'cvss')}
    hint={t('Version 3.0, 3.1 or 4.0. With a vector, its score decides the severity.')}
  />
)

const CreditsField = ({ visit, advisory }: FieldProps) => (
  <Field
    name="credits"
    label={t('Credits')}
    maxlength={2000}
    value={visit.form.values.optional('credits') ?? advisory.credits.join(', ')}
    hint={t('Usernames of those who found it, with commas between them.')}
  />
)

const EditForm = ({
  visit: shown,
  repo,
  advisory,
}: Pick<OneShown, 'repo' | 'advisory'> & { visit: Visit }) => {
  const action = advisoriesPath(repo.full_name, `/${advisory.id}/edit`)
  const visit = visitForForm(shown, action)
  return (
    <Card title={t('Edit advisory')}>
      <Form
        action={action}
        csrf={visit.csrf}
        error={formError(visit, 'title', 'description', 'severity', 'cve', 'cvss', 'packages')}
      >
        <Field
          name="title"
          label={t('Title')}
          required
          maxlength={250}
          value={visit.form.values.text('title') || advisory.title}
          error={fieldError(visit, 'title')}
        />
        <TextArea
          name="description"
          label={t('Description')}
          required
          rows={8}
          value={visit.form.values.text('description') || advisory.description}
          error={fieldError(visit, 'description')}
        />
        <Select
          name="severity"
          label={t('Severity')}
          value={visit.form.values.text('severity') || advisory.severity}
          error={fieldError(visit, 'severity')}
          options={REPORT_SEVERITIES.map((value) => ({ value, label: SEVERITY_LABELS[value] }))}
        />
        <Field
          name="cve"
          label={t('CVE')}
          placeholder={t('CVE-2026-12345')}
          maxlength={30}
          value={visit.form.values.text('cve') || (advisory.cve ?? '')}
          error={fieldError(visit, 'cve')}
        />
        <CvssField visit={visit} advisory={advisory} />
        <PackageFields visit={visit} advisory={advisory} />
        <CreditsField visit={visit} advisory={advisory} />
        <FormActions>
          <Button>{t('Save')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

/** Publishing a draft, or withdrawing what is published. */
const StateButton = ({
  visit,
  repo,
  advisory,
}: Pick<OneShown, 'repo' | 'advisory'> & { visit: Visit }) => (
  <ActionButton
    action={advisoriesPath(repo.full_name, `/${advisory.id}/state`)}
    csrf={visit.csrf}
    values={{ state: advisory.state === 'published' ? 'withdrawn' : 'published' }}
  >
    <Button variant={advisory.state === 'published' ? undefined : 'primary'}>
      {advisory.state === 'published' ? t('Withdraw advisory') : t('Publish advisory')}
    </Button>
  </ActionButton>
)

const AdvisoryHead = ({
  visit,
  repo,
  advisory,
  manages,
}: Pick<OneShown, 'repo' | 'advisory' | 'manages'> & { visit: Visit }) => (
  <>
    <PageHead
      title={advisory.title}
      actions={
        <>
          {advisory.state !== 'draft' && (
            <LinkButton href={advisoriesPath(repo.full_name, `/${advisory.id}${OSV_ENDING}`)}>
              {t('Download OSV')}
            </LinkButton>
          )}
          {manages && <StateButton visit={visit} repo={repo} advisory={advisory} />}
        </>
      }
    />
    <p class="actions">
      <Badge tone={TONES[advisory.state]}>{STATES[advisory.state]}</Badge>
      <SeverityChip severity={advisory.severity} />
    </p>
  </>
)

/** The ends of the addresses of forms that show their errors themselves. */
const FORMS_WITH_FIELDS = ['/edit', '/people/add', '/fork/merge']

/** Why a button was refused, such as the one that publishes. */
const ButtonError = ({ visit }: { visit: Visit }) => {
  const isShownBelow = FORMS_WITH_FIELDS.some((end) => visit.url.pathname.endsWith(end))
  const message = isShownBelow ? null : formError(visit)
  return message ? <FormError>{message}</FormError> : null
}

/** Each has up to four lines of 200 characters. */
const PACKAGES_PER_PAGE = 10

const AdvisoryView = ({ visit, repo, advisory, ...shown }: OneShown & { visit: Visit }): Html => {
  const packages = pageOfRows(visit, advisory.packages, PACKAGES_PER_PAGE, 'packages')
  return (
    <SecurityFrame
      visit={visit}
      repo={repo}
      title={advisory.title}
      current="advisories"
      seesFindings={shown.seesFindings}
    >
      <Breadcrumbs
        parts={[
          { label: t('Advisories'), href: advisoriesPath(repo.full_name) },
          { label: advisory.title },
        ]}
      />
      <AdvisoryHead visit={visit} repo={repo} advisory={advisory} manages={shown.manages} />
      <ButtonError visit={visit} />
      <Card title={t('Description')}>
        <LongTextBody visit={visit} text={shown.description} />
        <Facts
          facts={[
            ...(advisory.cve === null ? [] : [{ label: t('CVE'), value: advisory.cve }]),
            ...scoreFacts(advisory),
            ...packages.items.map((one) => ({
              label: `${one.type} ${one.name}`,
              value:
                one.patched === null
                  ? t('affects {vulnerable}, not fixed yet', { vulnerable: one.vulnerable })
                  : t('affects {vulnerable}, fixed in {patched}', {
                      vulnerable: one.vulnerable,
                      patched: one.patched,
                    }),
            })),
            ...(advisory.credits.length === 0
              ? []
              : [{ label: t('Found by'), value: advisory.credits.join(', ') }]),
          ]}
        />
        <RowSteps
          list={packages}
          here={advisoriesPath(repo.full_name, `/${advisory.id}`)}
          name="packages"
          label={t('Packages')}
        />
      </Card>
      {shown.work !== null && (
        <WorkCards
          visit={visit}
          repo={repo}
          advisory={advisory}
          work={shown.work}
          manages={shown.manages}
        />
      )}
      {shown.manages && <EditForm visit={visit} repo={repo} advisory={advisory} />}
    </SecurityFrame>
  )
}

/** The advisory in the format of OSV, for programs. A draft has none. */
function osvResponse(advisory: Advisory): DirectResponse {
  if (advisory.state === 'draft')
    throw notFound(t('the advisory {id} in the format of OSV', { id: advisory.id }))
  return new DirectResponse(
    new Response(`${JSON.stringify(osvDocument(advisory), null, 2)}\n`, {
      headers: {
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-cache',
      },
    }),
  )
}

export const advisoryPage = page({
  path: '/:workspace/:repo/security/advisories/:advisory',
  load: async (visit): Promise<OneShown | DirectResponse> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const name = visit.params.advisory ?? ''
    const isOsv = name.endsWith(OSV_ENDING)
    const advisory = await visit.call(getAdvisory, {
      repo: repo.full_name,
      id: isOsv ? name.slice(0, -OSV_ENDING.length) : name,
    })
    if (isOsv) return osvResponse(advisory)
    const overview = await visit.call(getSecurityOverview, { repo: repo.full_name })
    const typed = rawText(visit, advisory.description)
    if (typed !== null) return typed
    return {
      repo,
      advisory,
      description: await loadLongText(
        visit,
        advisory.description,
        securityMarkdown(visit, repo),
        advisoriesPath(repo.full_name, `/${advisory.id}`),
      ),
      seesFindings: overview.can_see_findings,
      manages: overview.can_manage_advisories,
      work: await loadWork(visit, repo.full_name, advisory.id),
    }
  },
  view: (shown, visit) => <AdvisoryView visit={visit} {...shown} />,
})

const advisoryForm = (visit: Visit) => ({ repo: repoOf(visit), id: visit.params.advisory ?? '' })
const ownPath = (visit: Visit): string =>
  advisoriesPath(repoOf(visit), `/${visit.params.advisory ?? ''}`)

/** The package of the form in place of the first one. Without any of its texts there is none. */
async function packagesFrom(visit: Visit, fields: Fields): Promise<Advisory['packages']> {
  const [, ...others] = (await visit.call(getAdvisory, advisoryForm(visit))).packages
  const texts = ['package_type', 'package', 'vulnerable', 'patched'].map((name) =>
    fields.text(name).trim(),
  )
  if (texts.every((text) => text === '')) return others
  const [type = '', name = '', vulnerable = '', patched = ''] = texts
  if (type === '' || name === '' || vulnerable === '')
    throw invalid('packages', t('Type, package and affected versions belong together.'))
  return [{ type, name, vulnerable, patched: patched || null }, ...others]
}

export const editAdvisoryForm = action({
  path: '/:workspace/:repo/security/advisories/:advisory/edit',
  page: advisoryPage,
  submit: async (visit, fields) => {
    const severity = REPORT_SEVERITIES.find((one) => one === fields.text('severity'))
    await visit.call(updateAdvisory, {
      ...advisoryForm(visit),
      title: fields.text('title'),
      description: fields.text('description'),
      cve: fields.optional('cve') || null,
      cvss: fields.optional('cvss') || null,
      credits: fields.list('credits', ','),
      packages: await packagesFrom(visit, fields),
      ...(severity === undefined ? {} : { severity }),
    })
    return redirectWithFlash(visit, ownPath(visit), 'saved')
  },
})

export const advisoryStateForm = action({
  path: '/:workspace/:repo/security/advisories/:advisory/state',
  page: advisoryPage,
  submit: async (visit, fields) => {
    const state = fields.text('state') === 'withdrawn' ? 'withdrawn' : 'published'
    await visit.call(updateAdvisory, { ...advisoryForm(visit), state })
    return redirectWithFlash(
      visit,
      ownPath(visit),
      state === 'published' ? 'advisory-published' : 'advisory-withdrawn',
    )
  },
})
