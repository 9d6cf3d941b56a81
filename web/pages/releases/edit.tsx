import {
  createReleaseWithFiles,
  draftReleaseNotes,
  getRelease,
  listStagedFiles,
  MAX_STAGED_FILES,
  stageReleaseFile,
  updateRelease,
  type Release,
} from '#features/releases/index.ts'
import { getRepo, listRefNames, type Repo } from '#features/repos/index.ts'
import {
  Breadcrumbs,
  Button,
  Checkbox,
  Field,
  FieldSet,
  Form,
  FormActions,
  PageHead,
  Radio,
  TextArea,
} from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import { Refusal } from '#lib/errors.ts'
import type { Html } from '../../jsx/html.ts'
import {
  pageResponse,
  action,
  type DirectResponse,
  type OutputOf,
  Fields,
  redirectWithFlash,
  page,
  type Page,
  type Visit,
} from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { mayWrite } from './list.tsx'
import { releasePath, releasesPath } from './release-details.tsx'
import { localized, t } from '../../text.ts'

const FIELDS = ['tag_name', 'target', 'name', 'body', 'latest', 'files']
const MAX_NAMES = 100

type ReleaseFormData = {
  readonly repo: Repo
  readonly release: Release | null
  readonly tags: readonly string[]
  readonly branches: readonly string[]
  /** Those that the form holds already. */
  readonly files: OutputOf<typeof listStagedFiles>['files']
}

const LATEST = localized([
  ['', 'Decide by version', 'The highest version is the latest.'],
  ['true', 'This is the latest', undefined],
  ['false', 'This is not the latest', undefined],
] as const)

const TargetField = ({
  visit,
  repo,
  branches,
  typedOr,
  release,
}: {
  visit: Visit
  repo: Repo
  branches: readonly string[]
  typedOr: (name: string, stored: string) => string
  release: Release | null
}) => (
  <Field
    name="target"
    label={t('Target')}
    mono
    maxlength={500}
    suggestions={branches}
    value={typedOr('target', release === null ? repo.default_branch : '')}
    error={fieldError(visit, 'target')}
    hint={
      release === null
        ? t('The branch or commit that a new tag points to. An existing tag stays where it is.')
        : t('A branch or a commit; left empty it stays what it was.')
    }
  />
)

const LatestFields = ({
  visit,
  latest,
  release,
}: {
  visit: Visit
  latest: string
  release: Release | null
}) => (
  <FieldSet legend={t('Latest release')} error={fieldError(visit, 'latest')}>
    {LATEST.map(([value, label, hint]) => (
      <Radio
        name="latest"
        id={`latest-${value || 'auto'}`}
        value={value}
        label={release !== null && value === '' ? t('Keep the current setting') : label}
        hint={release === null ? hint : undefined}
        checked={latest === value}
      />
    ))}
  </FieldSet>
)

const SaveButtons = ({ draft, release }: { draft: boolean; release: Release | null }) => (
  <FormActions>
    {draft ? (
      <>
        <Button variant="primary" name="do" value="publish">
          {t('Publish')}
        </Button>
        <Button name="do" value="draft">
          {release === null ? t('Save as a draft') : t('Save draft')}
        </Button>
      </>
    ) : (
      <Button variant="primary" name="do" value="save">
        {t('Save')}
      </Button>
    )}
  </FormActions>
)

const PrereleaseField = ({
  release,
  typed,
  values,
}: {
  release: Release | null
  typed: boolean
  values: Fields
}) => (
  <FieldSet legend={t('Kind of release')}>
    <Checkbox
      name="prerelease"
      label={t('Prerelease')}
      checked={typed ? values.ticked('prerelease') : release?.prerelease === true}
      hint={t('Not ready for everybody; it is never the latest.')}
    />
  </FieldSet>
)

const TagField = ({
  visit,
  fixed,
  typedOr,
  release,
  tags,
}: {
  visit: Visit
  fixed: boolean
  typedOr: (name: string, stored: string) => string
  release: Release | null
  tags: readonly string[]
}) => (
  <Field
    name="tag_name"
    label={t('Tag')}
    required
    mono
    maxlength={255}
    placeholder="v1.0"
    suggestions={tags}
    readonly={fixed}
    autofocus={release === null}
    value={typedOr('tag_name', release?.tag_name ?? visit.url.searchParams.get('tag') ?? '')}
    error={fieldError(visit, 'tag_name')}
    hint={fixed ? t('A ruleset keeps it as it is.') : t('An existing tag or a new one.')}
  />
)

const NotesField = ({ visit, repo, value }: { visit: Visit; repo: Repo; value: string }) => (
  <>
    <TextArea
      name="body"
      label={t('Notes')}
      rows={14}
      markdown={repo.full_name}
      value={value}
      error={fieldError(visit, 'body')}
      hint={t('Markdown.')}
    />
    <div>
      <Button name="do" value="notes" icon="spark" formnovalidate>
        {t('Generate release notes')}
      </Button>
    </div>
  </>
)

/** Files of a release that is not saved yet. Those that came with a refused form stay in it. */
const FilesField = ({ visit, files }: { visit: Visit; files: ReleaseFormData['files'] }) => (
  <FieldSet legend={t('Files')}>
    {files.map(({ token, name, size_in_bytes }) => (
      <Checkbox
        name="files"
        id={`kept-file-${name.replace(/[^\w-]+/g, '-')}`}
        value={token}
        checked
        label={
          <>
            <bdi>{name}</bdi> <span class="muted">{bytesText(size_in_bytes)}</span>
          </>
        }
      />
    ))}
    <Field
      name="files"
      label={t('Add files')}
      type="file"
      multiple
      error={fieldError(visit, 'files') ?? fieldError(visit, 'file')}
      hint={t('Programs, archives and whatever else belongs to the release, {max} at most.', {
        max: MAX_STAGED_FILES,
      })}
    />
  </FieldSet>
)

const EditView = ({
  visit,
  shown: { repo, release, tags, branches, files },
}: {
  visit: Visit
  shown: ReleaseFormData
}): Html => {
  const { values } = visit.form
  const typed = values.names().length > 0
  const typedOr = (name: string, stored: string) => (typed ? values.text(name) : stored)
  const title = release === null ? t('New release') : t('Edit {title}', { title: release.name })
  const draft = release === null || release.draft
  const fixed = release?.immutable === true
  const here = releasesPath(repo.full_name, release === null ? '/new' : `/${release.id}/edit`)
  const latest = typedOr('latest', '')
  return (
    <RepoFrame visit={visit} repo={repo} title={title} current="code" noindex>
      <Breadcrumbs
        parts={[
          { label: t('Releases'), href: releasesPath(repo.full_name) },
          { label: release?.tag_name ?? t('New') },
        ]}
      />
      <PageHead title={title} />
      <Form action={here} csrf={visit.csrf} error={formError(visit, ...FIELDS)} label={title}>
        <TagField visit={visit} fixed={fixed} typedOr={typedOr} release={release} tags={tags} />
        {draft && (
          <TargetField
            visit={visit}
            repo={repo}
            branches={branches}
            typedOr={typedOr}
            release={release}
          />
        )}
        <Field
          name="name"
          label={t('Title')}
          maxlength={255}
          value={typedOr('name', release?.name ?? '')}
          error={fieldError(visit, 'name')}
          hint={t('Left empty, the tag is the title.')}
        />
        <NotesField visit={visit} repo={repo} value={typedOr('body', release?.body ?? '')} />
        {release === null && <FilesField visit={visit} files={files} />}
        <PrereleaseField release={release} typed={typed} values={values} />
        <LatestFields visit={visit} latest={latest} release={release} />
        <SaveButtons draft={draft} release={release} />
      </Form>
    </RepoFrame>
  )
}

async function load(visit: Visit): Promise<ReleaseFormData | null> {
  const name = repoOf(visit)
  const repo = await visit.call(getRepo, { repo: name })
  if (!mayWrite(repo, visit)) return null
  const id = visit.params.id
  const [release, names] = await Promise.all([
    id === undefined ? null : visit.call(getRelease, { repo: name, id }),
    visit.call(listRefNames, { repo: name, branches: MAX_NAMES, tags: MAX_NAMES }),
  ])
  const tokens = visit.form.values.all('files').slice(0, MAX_STAGED_FILES)
  const staged =
    tokens.length > 0 && (await visit.tryCall(listStagedFiles, { repo: name, files: tokens }))
  return {
    repo,
    release,
    tags: names.tags,
    branches: names.branches,
    files: staged ? staged.files : [],
  }
}

const view = (shown: ReleaseFormData, visit: Visit): Html => (
  <EditView visit={visit} shown={shown} />
)

export const newReleasePage: Page = page({ path: '/:workspace/:repo/releases/new', load, view })
export const editReleasePage: Page = page({
  path: '/:workspace/:repo/releases/:id/edit',
  load,
  view,
})

/** Shows the form again with drafted notes in it. Nothing is stored. */
async function withNotes(visit: Visit, fields: Fields): Promise<DirectResponse> {
  const tag_name = fields.text('tag_name').trim()
  if (tag_name === '')
    throw new Refusal(
      'invalid',
      t('Write the tag first: the notes are about what came since the release before it.'),
      { field: 'tag_name' },
    )
  const notes = await visit.call(draftReleaseNotes, {
    repo: repoOf(visit),
    tag_name,
    target: fields.optional('target'),
  })
  const body = [fields.text('body').trimEnd(), notes.body]
    .filter((part) => part !== '')
    .join('\n\n')
  const values = new Map(fields.names().map((name) => [name, fields.all(name)]))
  values.set('body', [body])
  if (fields.text('name').trim() === '') values.set('name', [notes.name])
  const again: Visit = { ...visit, form: { values: new Fields(values), error: null } }
  const shown = await load(again)
  if (shown === null)
    throw new Refusal('not_found', t('There is no such page, or you may not see it.'))
  return pageResponse(visit, view(shown, again))
}

const inputFrom = (fields: Fields) => {
  const latest = fields.text('latest')
  return {
    tag_name: fields.text('tag_name').trim(),
    target: fields.optional('target'),
    name: fields.text('name'),
    body: fields.text('body'),
    prerelease: fields.ticked('prerelease'),
    ...(latest === 'true' || latest === 'false' ? { latest: latest === 'true' } : {}),
  }
}

const newForm = action({
  path: '/:workspace/:repo/releases/new',
  page: newReleasePage,
  keptFiles: {
    field: 'files',
    store: async (visit, { name, bytes }, fields) => {
      if (fields.all('files').length >= MAX_STAGED_FILES)
        throw new Refusal(
          'invalid',
          t('A new release takes {max} files at once. Add the others when it is saved.', {
            max: MAX_STAGED_FILES,
          }),
          { field: 'files' },
        )
      try {
        return (await visit.call(stageReleaseFile, { repo: repoOf(visit), name }, bytes)).token
      } catch (error) {
        // The form has a field `name` of its own: the title.
        if (error instanceof Refusal && error.field === 'name')
          throw new Refusal(error.code, error.message, { field: 'files' })
        throw error
      }
    },
  },
  submit: async (visit, fields) => {
    if (fields.text('do') === 'notes') return withNotes(visit, fields)
    const draft = fields.text('do') === 'draft'
    const made = await visit.call(createReleaseWithFiles, {
      repo: repoOf(visit),
      ...inputFrom(fields),
      draft,
      files: fields.all('files').filter((token) => token !== ''),
    })
    return redirectWithFlash(
      visit,
      releasePath(repoOf(visit), made),
      draft ? 'saved' : 'release-published',
    )
  },
})

const editForm = action({
  path: '/:workspace/:repo/releases/:id/edit',
  page: editReleasePage,
  submit: async (visit, fields) => {
    if (fields.text('do') === 'notes') return withNotes(visit, fields)
    const publish = fields.text('do') === 'publish'
    const saved = await visit.call(updateRelease, {
      repo: repoOf(visit),
      id: visit.params.id ?? '',
      ...inputFrom(fields),
      ...(publish ? { draft: false } : {}),
    })
    return redirectWithFlash(
      visit,
      releasePath(repoOf(visit), saved),
      publish ? 'release-published' : 'saved',
    )
  },
})

export const releaseEditForms = [newForm, editForm]
