import { createImport, PARTS } from '#features/imports/index.ts'
import { createRepo } from '#features/repos/index.ts'
import { listWorkspaces, type Workspace } from '#features/workspaces/index.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Card, EmptyState } from '../../components/card.tsx'
import {
  Checkbox,
  Field,
  FieldSet,
  Form,
  FormActions,
  Radio,
  Select,
} from '../../components/form.tsx'
import { PageHead } from '../../components/layout.tsx'
import { repoPath } from '../../paths.ts'
import { Refusal } from '#lib/errors.ts'
import { action, redirectWithFlash, page, redirect, type Visit, type Fields } from '../../site.ts'
import { fieldError, formError, Shell } from '../shell.tsx'
import { localized, t } from '../../text.ts'

const NoWorkspace = () => (
  <EmptyState
    icon="workspace"
    title={t('A workspace comes first')}
    actions={
      <LinkButton href="/workspaces/new" variant="primary">
        {t('Create workspace')}
      </LinkButton>
    }
  >
    {t('Repositories belong to workspaces.')}
  </EmptyState>
)

const IMPORT_SOURCES = localized([
  { value: 'git', label: 'Only the code, with git' },
  { value: 'gitea_api', label: 'Everything, from Gitea or Forgejo' },
  { value: 'github_api', label: 'Everything, from GitHub' },
  { value: 'gitlab_api', label: 'Everything, from GitLab' },
] as const)

const ImportFields = ({ visit, typed }: { visit: Visit; typed: Fields }) => (
  <FieldSet legend={t('Import a repository')} hint={t('Leave this empty for a new repository.')}>
    <Field
      name="import_url"
      inputmode="url"
      label={t('Address')}
      mono
      maxlength={2000}
      value={typed.text('import_url')}
      error={fieldError(visit, 'import_url')}
      hint={t('The address for git clone: https://…. For GitHub and GitLab, owner/name works too.')}
      autocomplete="off"
    />
    <Select
      name="import_source"
      label={t('What to import')}
      options={IMPORT_SOURCES}
      value={typed.optional('import_source') ?? 'git'}
      error={fieldError(visit, 'import_source')}
      hint={t(
        'Everything: code, large files, wiki, labels, milestones, issues, pull requests, reviews and releases.',
      )}
    />
    <Checkbox
      name="import_people"
      label={t('Recognize members of the workspace by their confirmed email addresses')}
      checked={typed.ticked('import_people')}
    />
    <Field
      name="import_token"
      type="password"
      label={t('Access token')}
      maxlength={2000}
      error={fieldError(visit, 'import_token')}
      autocomplete="new-password"
      hint={t(
        'Only for a private one: an access token of the other forge, or name:password. It is kept encrypted until the copy is done.',
      )}
    />
  </FieldSet>
)

const VisibilityFields = ({ visit, isPrivate }: { visit: Visit; isPrivate: boolean }) => (
  <FieldSet legend={t('Who can see it')} error={fieldError(visit, 'private')}>
    <Radio
      name="private"
      value="true"
      label={t('Private')}
      hint={t('Members of the workspace and people you add.')}
      checked={isPrivate}
    />
    <Radio
      name="private"
      value="false"
      label={t('Public')}
      hint={t('Everyone, without an account.')}
      checked={!isPrivate}
    />
  </FieldSet>
)

const WorkspaceSelect = ({
  visit,
  typed,
  workspaces,
}: {
  visit: Visit
  typed: Fields
  workspaces: readonly Workspace[]
}) => (
  <Select
    name="workspace"
    label={t('Workspace')}
    required
    options={workspaces.map(({ slug, name }) => ({
      value: slug,
      label: name === slug ? slug : `${name} (${slug})`,
    }))}
    value={typed.optional('workspace') ?? visit.url.searchParams.get('workspace')}
    error={fieldError(visit, 'workspace')}
  />
)

const NewRepoForm = ({
  visit,
  isPrivate,
  typed,
  workspaces,
}: {
  visit: Visit
  isPrivate: boolean
  typed: Fields
  workspaces: readonly Workspace[]
}) => (
  <Card>
    <Form
      action="/new"
      csrf={visit.csrf}
      error={formError(
        visit,
        'workspace',
        'name',
        'description',
        'private',
        'import_url',
        'import_source',
        'import_token',
      )}
    >
      <WorkspaceSelect visit={visit} typed={typed} workspaces={workspaces} />
      <Field
        name="name"
        label={t('Name')}
        required
        mono
        autofocus
        maxlength={100}
        value={typed.text('name')}
        error={fieldError(visit, 'name')}
      />
      <Field
        name="description"
        label={t('Description')}
        maxlength={350}
        value={typed.text('description')}
        error={fieldError(visit, 'description')}
      />
      <VisibilityFields visit={visit} isPrivate={isPrivate} />
      <ImportFields visit={visit} typed={typed} />
      <FormActions>
        <Button variant="primary">{t('Create repository')}</Button>
      </FormActions>
    </Form>
  </Card>
)

export const newRepoPage = page({
  path: '/new',
  load: async (visit) =>
    visit.viewer
      ? { workspaces: (await visit.call(listWorkspaces, { per_page: 100 })).items }
      : redirect('/login?next=/new', 302),
  view: ({ workspaces }, visit) => {
    const typed = visit.form.values
    const isPrivate = typed.has('private')
      ? typed.text('private') === 'true'
      : visit.hearth.settings.private_by_default
    return (
      <Shell visit={visit} title={t('New repository')} width="narrow">
        <PageHead
          title={t('New repository')}
          actions={<LinkButton href="/import">{t('Import several')}</LinkButton>}
        />
        {workspaces.length === 0 ? (
          <NoWorkspace />
        ) : (
          <NewRepoForm visit={visit} isPrivate={isPrivate} typed={typed} workspaces={workspaces} />
        )}
      </Shell>
    )
  },
})

/** The fields of this form for the inputs of an import. */
const FIELDS: Readonly<Record<string, string>> = {
  url: 'import_url',
  token: 'import_token',
  source: 'import_source',
}

export const newRepoForm = action({
  path: '/new',
  page: newRepoPage,
  async submit(visit, fields) {
    const about = {
      workspace: fields.optional('workspace'),
      name: fields.text('name').trim(),
      description: fields.optional('description'),
      ...(fields.has('private') ? { private: fields.ticked('private') } : {}),
    }
    const import_url = fields.optional('import_url')
    const token = fields.optional('import_token')
    const chosen = fields.optional('import_source')
    const source = IMPORT_SOURCES.find(({ value }) => value === chosen)?.value ?? 'git'
    if (import_url === undefined || (token === undefined && source === 'git')) {
      const repo = await visit.call(createRepo, {
        ...about,
        ...(import_url === undefined ? {} : { import_url }),
      })
      return import_url === undefined
        ? redirectWithFlash(visit, repoPath(repo.full_name), 'repo-made')
        : redirect(repoPath(repo.full_name))
    }
    try {
      const copy = await visit.call(createImport, {
        ...about,
        source,
        workspace: about.workspace ?? '',
        url: import_url,
        ...(token === undefined ? {} : { token }),
        ...(source !== 'git' && fields.ticked('import_people') ? { include: [...PARTS] } : {}),
      })
      return redirect(repoPath(copy.repo ?? '', source === 'git' ? '' : '/import'))
    } catch (error) {
      const field =
        error instanceof Refusal && error.field !== null ? FIELDS[error.field] : undefined
      if (!(error instanceof Refusal) || field === undefined) throw error
      throw new Refusal(error.code, error.message, {
        field,
        ...(error.reason === null ? {} : { reason: error.reason }),
      })
    }
  },
})
