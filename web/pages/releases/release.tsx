import {
  deleteRelease,
  deleteReleaseAsset,
  getRelease,
  getReleaseByTag,
  updateRelease,
  uploadReleaseAsset,
  type Release,
} from '#features/releases/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Breadcrumbs,
  Button,
  Card,
  Field,
  Form,
  FormActions,
  LinkButton,
  PageHead,
} from '../../components/index.ts'
import { invalid } from '#lib/errors.ts'
import {
  action,
  DirectResponse,
  redirectWithFlash,
  page,
  redirect,
  upload,
  type Page,
  type Visit,
} from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { fieldError, visitForForm, formError } from '../shell.tsx'
import { mayWrite } from './list.tsx'
import {
  Files,
  notesMarkdown,
  ReleaseBadge,
  ReleaseFacts,
  releasePath,
  releasesPath,
} from './release-details.tsx'
import {
  LongTextBody,
  loadLongText,
  partTitle,
  rawText,
  type LongText,
} from '../writing/long-text.tsx'
import { t } from '../../text.ts'

const target = (visit: Visit) => ({ repo: repoOf(visit), id: visit.params.id ?? '' })

/** The upload of a file, by an ordinary form. */
const UploadCard = ({ visit, repo, release }: { visit: Visit; repo: Repo; release: Release }) => {
  const action = releasesPath(repo.full_name, `/${release.id}/assets`)
  const at = visitForForm(visit, action)
  return (
    <Card title={t('Add a file')} level={3}>
      <Form
        action={action}
        csrf={visit.csrf}
        error={formError(at, 'label', 'name', 'file')}
        label={t('Add a file')}
      >
        <Field
          name="label"
          label={t('Display name')}
          maxlength={255}
          value={at.form.values.text('label')}
          error={fieldError(at, 'label')}
          hint={t('Shown in place of the file name.')}
        />
        <Field
          name="file"
          label={t('File')}
          type="file"
          required
          error={fieldError(at, 'file') ?? fieldError(at, 'name')}
        />
        <FormActions>
          <Button icon="arrow-up">{t('Add file')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

const DeleteCard = ({ visit, here }: { visit: Visit; here: string }) => (
  <Card title={t('Delete')} tone="bad" level={3}>
    <p>{t('Deletes the notes and the files. The tag stays.')}</p>
    <FormActions>
      <ActionButton action={`${here}/delete`} csrf={visit.csrf}>
        <Button variant="danger" icon="trash">
          {t('Delete release')}
        </Button>
      </ActionButton>
    </FormActions>
  </Card>
)

const ReleaseActions = ({
  visit,
  here,
  release,
}: {
  visit: Visit
  here: string
  release: Release
}) => (
  <>
    <LinkButton href={`${here}/edit`} icon="edit">
      {t('Edit')}
    </LinkButton>
    {release.draft && (
      <ActionButton action={`${here}/publish`} csrf={visit.csrf}>
        <Button variant="primary">{t('Publish')}</Button>
      </ActionButton>
    )}
  </>
)

const ReleaseView = ({
  visit,
  repo,
  release,
  notes,
}: {
  visit: Visit
  repo: Repo
  release: Release
  notes: LongText
}) => {
  const mayEdit = mayWrite(repo, visit)
  const here = releasesPath(repo.full_name, `/${release.id}`)
  const refused =
    visitForForm(visit, `${here}/publish`).form.error ??
    visitForForm(visit, `${here}/delete`).form.error
  return (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={partTitle(release.name, notes)}
      current="code"
      noindex={release.draft || repo.private}
    >
      <Breadcrumbs
        parts={[
          { label: t('Releases'), href: releasesPath(repo.full_name) },
          { label: release.tag_name },
        ]}
      />
      <PageHead
        title={release.name}
        lead={<ReleaseBadge release={release} />}
        actions={
          mayEdit ? <ReleaseActions visit={visit} here={here} release={release} /> : undefined
        }
      />
      {refused && (
        <p class="field-error" role="alert">
          {refused.message}
        </p>
      )}
      <ReleaseFacts repo={repo} release={release} />
      <div class="release-notes">
        <LongTextBody visit={visit} text={notes} empty={t('No notes.')} />
      </div>
      <Files
        visit={visit}
        repo={repo}
        release={release}
        mayChange={mayEdit && !release.immutable}
      />
      {mayEdit && !release.immutable && <UploadCard visit={visit} repo={repo} release={release} />}
      {mayEdit && repo.permissions.maintain && !release.immutable && (
        <DeleteCard visit={visit} here={here} />
      )}
    </RepoFrame>
  )
}

const load = async (visit: Visit, find: Promise<Release>) => {
  const [repo, release] = await Promise.all([visit.call(getRepo, { repo: repoOf(visit) }), find])
  const typed = rawText(visit, release.body)
  if (typed) return typed
  const here = releasePath(repo.full_name, release)
  const notes = await loadLongText(visit, release.body, notesMarkdown(visit, repo), here)
  return { repo, release, notes }
}

export const taggedPage = page({
  path: '/:workspace/:repo/releases/tag/*tag',
  load: (visit) =>
    load(visit, visit.call(getReleaseByTag, { repo: repoOf(visit), tag: visit.params.tag ?? '' })),
  view: (shown, visit) => <ReleaseView visit={visit} {...shown} />,
})

/**
 * A draft has the address of its id. A published one redirects to its tag, unless a refused form is
 * shown.
 */
export const releasePage: Page = page({
  path: '/:workspace/:repo/releases/:id',
  load: async (visit) => {
    const shown = await load(visit, visit.call(getRelease, target(visit)))
    if (shown instanceof DirectResponse) return shown
    const { repo, release } = shown
    return release.draft || visit.request.method === 'POST'
      ? shown
      : redirect(releasePath(repo.full_name, release), 302)
  },
  view: (shown, visit) => <ReleaseView visit={visit} {...shown} />,
})

const addFile = upload({
  path: '/:workspace/:repo/releases/:id/assets',
  page: releasePage,
  submit: async (visit, fields, file) => {
    if (file === null) throw invalid('file', t('Choose a file first.'))
    await visit.call(
      uploadReleaseAsset,
      {
        ...target(visit),
        name: fields.optional('name') ?? file.name,
        label: fields.optional('label'),
      },
      file.bytes,
    )
    return redirectWithFlash(
      visit,
      releasePath(repoOf(visit), await visit.call(getRelease, target(visit))),
      'file-added',
    )
  },
})

const removeFile = action({
  path: '/:workspace/:repo/releases/:id/assets/:asset/delete',
  page: releasePage,
  submit: async (visit) => {
    await visit.call(deleteReleaseAsset, { repo: repoOf(visit), id: visit.params.asset ?? '' })
    return redirectWithFlash(
      visit,
      releasePath(repoOf(visit), await visit.call(getRelease, target(visit))),
      'file-deleted',
    )
  },
})

const publish = action({
  path: '/:workspace/:repo/releases/:id/publish',
  page: releasePage,
  submit: async (visit) =>
    redirectWithFlash(
      visit,
      releasePath(
        repoOf(visit),
        await visit.call(updateRelease, { ...target(visit), draft: false }),
      ),
      'release-published',
    ),
})

const remove = action({
  path: '/:workspace/:repo/releases/:id/delete',
  page: releasePage,
  submit: async (visit) => {
    await visit.call(deleteRelease, target(visit))
    return redirectWithFlash(visit, releasesPath(repoOf(visit)), 'release-deleted')
  },
})

export const releaseActionForms = [addFile, removeFile, publish, remove]
