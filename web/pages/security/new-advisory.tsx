// Begins an advisory for a vulnerability that nobody reported.
import { getRepo, type Repo } from '#features/repos/index.ts'
import { createAdvisory, getSecurityOverview, REPORT_SEVERITIES } from '#features/security/index.ts'
import {
  Breadcrumbs,
  Button,
  Field,
  Form,
  FormActions,
  LinkButton,
  PageHead,
  Select,
  TextArea,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { SecurityFrame, securityPath } from './frame.tsx'
import { SEVERITY_LABELS } from './severity.tsx'

type Shown = { readonly repo: Repo; readonly seesFindings: boolean }

const NewAdvisoryForm = ({ visit, repo }: { visit: Visit; repo: Repo }) => {
  const { values } = visit.form
  return (
    <Form
      action={securityPath(repo.full_name, '/advisories/new')}
      csrf={visit.csrf}
      error={formError(visit, 'title', 'description', 'severity')}
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
        value={values.text('severity') || 'medium'}
        error={fieldError(visit, 'severity')}
        options={REPORT_SEVERITIES.map((value) => ({ value, label: SEVERITY_LABELS[value] }))}
      />
      <FormActions>
        <Button variant="primary">{t('Create draft')}</Button>
        <LinkButton href={securityPath(repo.full_name, '/advisories')}>{t('Cancel')}</LinkButton>
      </FormActions>
    </Form>
  )
}

const NewAdvisoryView = ({ visit, repo, seesFindings }: Shown & { visit: Visit }): Html => (
  <SecurityFrame
    visit={visit}
    repo={repo}
    title={t('New advisory')}
    current="advisories"
    seesFindings={seesFindings}
  >
    <Breadcrumbs
      parts={[
        { label: t('Advisories'), href: securityPath(repo.full_name, '/advisories') },
        { label: t('New advisory') },
      ]}
    />
    <PageHead
      title={t('New advisory')}
      lead={t(
        'It begins as a draft that only administrators and security managers see. Versions, CVSS and a private fork follow on its page.',
      )}
    />
    <NewAdvisoryForm visit={visit} repo={repo} />
  </SecurityFrame>
)

export const newAdvisoryPage = page({
  path: '/:workspace/:repo/security/advisories/new',
  load: async (visit): Promise<Shown | null> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const overview = await visit.call(getSecurityOverview, { repo: repo.full_name })
    return overview.can_manage_advisories ? { repo, seesFindings: overview.can_see_findings } : null
  },
  view: (shown, visit) => <NewAdvisoryView visit={visit} {...shown} />,
})

export const newAdvisoryForm = action({
  path: '/:workspace/:repo/security/advisories/new',
  page: newAdvisoryPage,
  submit: async (visit, fields) => {
    const repo = repoOf(visit)
    const { id } = await visit.call(createAdvisory, {
      repo,
      title: fields.text('title'),
      description: fields.text('description'),
      severity: REPORT_SEVERITIES.find((one) => one === fields.text('severity')) ?? 'medium',
    })
    return redirectWithFlash(visit, securityPath(repo, `/advisories/${id}`), 'advisory-created')
  },
})
