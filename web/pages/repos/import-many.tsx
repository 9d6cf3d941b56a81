// Importing several repositories: the address of an owner, the choice, and the progress of all.
import {
  createImports,
  FORGE_SOURCES,
  listRemoteRepos,
  PARTS,
  type RemoteRepo,
} from '#features/imports/index.ts'
import { listWorkspaces, type Workspace } from '#features/workspaces/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  Button,
  Card,
  EmptyState,
  Field,
  Form,
  FormActions,
  LinkButton,
  PageHead,
  Select,
  TextArea,
} from '../../components/index.ts'
import {
  action,
  page,
  pageResponse,
  redirect,
  type Fields,
  type OutputOf,
  type Visit,
} from '../../site.ts'
import { localized, t } from '../../text.ts'
import { fieldError, formError, Shell } from '../shell.tsx'
import {
  ChoicePage,
  heldToken,
  hold,
  MAX_SHOWN,
  rowOf,
  type Choice,
  type ForgeSource,
  type Row,
} from './import-choice.tsx'

const SOURCES = localized([
  { value: 'gitea_api', label: 'Gitea or Forgejo' },
  { value: 'github_api', label: 'GitHub' },
  { value: 'gitlab_api', label: 'GitLab' },
] as const)

/** Addresses that one form may name, and repositories that one page shows. */
const MAX_ADDRESSES = 20
const MAX_PAGES = 20
/** As many are begun by one request. */
const MAX_BEGUN = 100

const sourceOf = (fields: Fields): ForgeSource =>
  FORGE_SOURCES.find((source) => source === fields.text('source')) ?? 'gitea_api'

const workspaceOption = ({ slug, name }: Workspace) => ({
  value: slug,
  label: name === slug ? slug : `${name} (${slug})`,
})

const AddressForm = ({ visit, workspaces }: { visit: Visit; workspaces: readonly Workspace[] }) => {
  const typed = visit.form.values
  return (
    <Card>
      <Form
        action="/import/choose"
        csrf={visit.csrf}
        error={formError(visit, 'source', 'url', 'token', 'workspace')}
      >
        <Select
          name="source"
          label={t('From')}
          options={SOURCES}
          value={sourceOf(typed)}
          error={fieldError(visit, 'source')}
        />
        <TextArea
          name="url"
          label={t('Addresses')}
          required
          mono
          autofocus
          rows={3}
          maxlength={20_000}
          placeholder={t('https://example.com/acme')}
          value={typed.text('url')}
          error={fieldError(visit, 'url')}
          hint={t(
            'The address of an owner, an organization, a group or a repository per line; of GitHub and GitLab also the name alone.',
          )}
        />
        <Field
          name="token"
          type="password"
          label={t('Access token')}
          maxlength={2000}
          error={fieldError(visit, 'token')}
          autocomplete="new-password"
          hint={t(
            'An access token of that forge. Without one, only public repositories are listed.',
          )}
        />
        <Select
          name="workspace"
          label={t('Into the workspace')}
          required
          options={workspaces.map(workspaceOption)}
          value={typed.optional('workspace') ?? visit.url.searchParams.get('workspace')}
          error={fieldError(visit, 'workspace')}
        />
        <FormActions>
          <Button variant="primary">{t('List repositories')}</Button>
          <LinkButton href="/import/progress">{t('Show imports')}</LinkButton>
        </FormActions>
      </Form>
    </Card>
  )
}

export const importManyPage = page({
  path: '/import',
  load: async (visit) =>
    visit.viewer
      ? { workspaces: (await visit.call(listWorkspaces, { per_page: 100 })).items }
      : redirect('/login?next=/import', 302),
  view: ({ workspaces }, visit) => (
    <Shell visit={visit} title={t('Import repositories')} width="narrow">
      <PageHead title={t('Import repositories')} />
      {workspaces.length === 0 ? (
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
      ) : (
        <AddressForm visit={visit} workspaces={workspaces} />
      )}
    </Shell>
  ),
})

/** Reads the pages of each address in turn. */
async function listAll(visit: Visit, source: ForgeSource, fields: Fields) {
  const token = fields.optional('token')
  const found = new Map<string, RemoteRepo>()
  let hasMore = false
  for (const url of fields.list('url').slice(0, MAX_ADDRESSES)) {
    let cursor: string | null = null
    for (let count = 0; count < MAX_PAGES; count++) {
      const answer: OutputOf<typeof listRemoteRepos> = await visit.call(listRemoteRepos, {
        source,
        url,
        workspace: fields.text('workspace'),
        ...(token === undefined ? {} : { token }),
        ...(cursor === null ? {} : { cursor }),
      })
      for (const repo of answer.items) found.set(repo.url, repo)
      cursor = answer.next
      if (cursor === null || found.size >= MAX_SHOWN) break
    }
    hasMore ||= cursor !== null
  }
  const all = [...found.values()]
  return { repos: all.slice(0, MAX_SHOWN), hasMore: hasMore || all.length > MAX_SHOWN }
}

const chooseForm = action({
  path: '/import/choose',
  page: importManyPage,
  async submit(visit, fields) {
    const addresses = fields.list('url')
    if (addresses.length === 0)
      throw new Refusal('invalid', t('Addresses are required.'), { field: 'url' })
    if (addresses.length > MAX_ADDRESSES)
      throw new Refusal(
        'invalid',
        t('At most {count} addresses at a time.', { count: String(MAX_ADDRESSES) }),
        { field: 'url' },
      )
    const source = sourceOf(fields)
    const { repos, hasMore } = await listAll(visit, source, fields)
    const choice: Choice = {
      source,
      workspace: fields.text('workspace'),
      held: hold(visit, fields.optional('token') ?? null),
      visibility: 'same',
      people: false,
      rows: repos.map(rowOf),
      hasMore,
      begun: 0,
    }
    return pageResponse(visit, <ChoicePage choice={choice} visit={visit} />)
  },
})

function rowsOf(fields: Fields): Row[] {
  const count = Math.min(MAX_SHOWN, Number(fields.text('rows')) || 0)
  return Array.from({ length: count }, (_, at) => ({
    url: fields.text(`url.${at}`),
    full_name: fields.text(`full.${at}`),
    name: fields.text(`name.${at}`).trim(),
    description: fields.optional(`about.${at}`) ?? null,
    private: fields.text(`private.${at}`) === 'true',
    picked: fields.ticked(`pick.${at}`),
    marks: fields.text(`private.${at}`) === 'true' ? ['private'] : [],
    error: null,
  }))
}

/** Begins the chosen ones. Returns those that were refused, with the reason. */
async function begin(visit: Visit, fields: Fields, rows: readonly Row[]): Promise<Row[]> {
  const token = heldToken(visit, fields)
  const visibility = fields.text('visibility')
  const { items } = await visit.call(createImports, {
    source: sourceOf(fields),
    workspace: fields.text('workspace'),
    ...(token === null ? {} : { token }),
    ...(fields.ticked('people') ? { include: [...PARTS] } : {}),
    repos: rows.map((row) => ({
      url: row.url,
      ...(row.name === '' ? {} : { name: row.name }),
      ...(row.description === null ? {} : { description: row.description }),
      private: visibility === 'same' ? row.private : visibility !== 'public',
    })),
  })
  return rows.flatMap((row, at) => {
    const error = items[at]?.error ?? null
    return error === null ? [] : [{ ...row, error }]
  })
}

const startForm = action({
  path: '/import/start',
  page: importManyPage,
  async submit(visit, fields) {
    const rows = rowsOf(fields)
    const picked = rows.filter((row) => row.picked)
    if (picked.length === 0)
      throw new Refusal('invalid', t('Choose at least one repository to import.'))
    const now = picked.slice(0, MAX_BEGUN)
    const refused = await begin(visit, fields, now)
    const left = [...refused, ...picked.slice(MAX_BEGUN)]
    if (left.length === 0) return redirect('/import/progress')
    const choice: Choice = {
      source: sourceOf(fields),
      workspace: fields.text('workspace'),
      held: fields.text('held'),
      visibility: fields.text('visibility'),
      people: fields.ticked('people'),
      rows: left,
      hasMore: false,
      begun: now.length - refused.length,
    }
    return pageResponse(visit, <ChoicePage choice={choice} visit={visit} />, {
      status: refused.length === 0 ? 200 : 422,
    })
  },
})

export const importManyForms = [chooseForm, startForm]
