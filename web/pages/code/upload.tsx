// Uploads files as one commit.
import { encodePath } from '#lib/percent-encoding.ts'
import { trimSlashes } from '#lib/trim-slashes.ts'
import { getBranch, locateCode, type Repo } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  Button,
  Card,
  Field,
  Form,
  FormActions,
  LinkButton,
  PageHead,
  TextArea,
} from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import { codePath, repoPath } from '../../paths.ts'
import {
  type DirectResponse,
  page,
  redirect,
  uploads,
  type UploadedFile,
  type Visit,
  type Fields,
} from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { BypassLinks } from '../security/bypass-links.tsx'
import { commitChange, readDestination, type FileEdit } from './commit-change.ts'
import { findBarrier, repoToChange } from './edit-load.ts'
import { CommitTargetFields, type CommitTarget } from './edit.tsx'
import { PathCrumbs } from './frame.tsx'
import { rich, t, tn } from '../../text.ts'

const MAX_UPLOAD_BYTES = 25 * 1024 * 1024
/** The limit of one commit. */
const MAX_FILES = 500

/** The address of the upload page for a directory of a branch. */
export const uploadPath = (repo: string, branch: string, folder: string): string =>
  repoPath(repo, `/upload/${encodePath(branch)}${folder === '' ? '' : `/${encodePath(folder)}`}`)

async function load(visit: Visit): Promise<CommitTarget | DirectResponse> {
  if (!visit.viewer) return redirect(`/login?next=${encodeURIComponent(visit.url.pathname)}`, 302)
  const repo: Repo = await repoToChange(visit)
  if (repo.empty) return { repo, branch: repo.default_branch, head: null, path: '', barrier: null }
  const name = repoOf(visit)
  const at = await visit.call(locateCode, { repo: name, rest: visit.params.rest ?? '' })
  if (at.kind !== 'branch' || at.type !== 'dir')
    return redirect(
      codePath(repo.full_name, at.type === 'dir' ? 'tree' : 'blob', at.ref, at.path),
      302,
    )
  return {
    repo,
    branch: at.ref,
    head: at.sha,
    path: at.path,
    barrier: repo.permissions.write ? await findBarrier(visit, repo, at.ref) : null,
  }
}

const FilesField = ({ visit, again }: { visit: Visit; again: boolean }) => (
  <div class={['field', fieldError(visit, 'files') !== null && 'field-bad']}>
    <label for="field-files">{t('Files')}</label>
    <input
      class="input"
      type="file"
      id="field-files"
      name="files"
      multiple
      aria-describedby="field-files-hint"
      aria-invalid={fieldError(visit, 'files') !== null ? 'true' : undefined}
    />
    {fieldError(visit, 'files') !== null && <p class="field-error">{fieldError(visit, 'files')}</p>}
    <p class="hint" id="field-files-hint">
      {rich(
        '{again}Choose several files, or drop them here. Existing files of the same name are replaced.',
        {
          again: again
            ? `${t('Choose the files again: browsers do not keep them when a form is refused.')} `
            : '',
        },
      )}
    </p>
    <label for="field-folder-files">{t('Or a folder')}</label>
    <input
      class="input"
      type="file"
      id="field-folder-files"
      name="files"
      multiple
      webkitdirectory
      aria-describedby="field-folder-files-hint"
    />
    <p class="hint" id="field-folder-files-hint">
      {rich(
        'The folder is uploaded with its subfolders. One upload takes {maxFiles} files and {maxUploadBytes}.',
        { maxFiles: MAX_FILES, maxUploadBytes: bytesText(MAX_UPLOAD_BYTES) },
      )}
    </p>
  </div>
)

const UploadCommit = ({
  visit,
  repo,
  branch,
  path,
  place,
  values,
}: {
  visit: Visit
  repo: Repo
  branch: string
  path: string
  place: CommitTarget
  values: Fields
}) => (
  <Card title={t('Commit')}>
    <Field
      name="message"
      label={t('Message')}
      maxlength={500}
      value={values.text('message')}
      placeholder={t('Add files by upload')}
      error={fieldError(visit, 'message')}
    />
    <TextArea
      name="description"
      label={t('Description')}
      rows={3}
      value={values.text('description')}
      hint={t('Say why the change is made.')}
    />
    <CommitTargetFields place={{ ...place, path: path || 'upload' }} visit={visit} />
    <FormActions>
      <Button variant="primary">
        {repo.permissions.write ? t('Commit changes') : t('Propose change')}
      </Button>
      <LinkButton
        href={
          repo.empty ? repoPath(repo.full_name) : codePath(repo.full_name, 'tree', branch, path)
        }
        variant="quiet"
      >
        {t('Cancel')}
      </LinkButton>
    </FormActions>
  </Card>
)

const UploadView = ({ place, visit }: { place: CommitTarget; visit: Visit }) => {
  const { repo, branch, head, path } = place
  const { values } = visit.form
  const again = visit.form.error !== null
  return (
    <RepoFrame visit={visit} repo={repo} title={t('Upload files')} current="code" width="narrow">
      <PageHead
        title={t('Upload files')}
        lead={path === '' ? undefined : rich('Into {path}', { path: <code>{path}</code> })}
      />
      {repo.empty || (
        <div class="code-bar">
          <PathCrumbs repo={repo} current={branch} path={path} />
        </div>
      )}
      <Form
        action={visit.url.pathname}
        csrf={visit.csrf}
        label={t('Upload files')}
        error={formError(visit, 'files', 'folder', 'message', 'new_branch')}
      >
        <BypassLinks visit={visit} />
        <input type="hidden" name="branch" value={branch} />
        <input type="hidden" name="expected_head" value={head ?? ''} />
        <FilesField visit={visit} again={again} />
        <Field
          name="folder"
          label={t('Destination folder')}
          mono
          maxlength={4000}
          value={values.has('folder') ? values.text('folder') : path}
          error={fieldError(visit, 'folder')}
          hint={t('Use slashes to create folders.')}
        />
        <UploadCommit
          visit={visit}
          repo={repo}
          branch={branch}
          path={path}
          place={place}
          values={values}
        />
      </Form>
    </RepoFrame>
  )
}

export const uploadPage = page({
  path: '/:workspace/:repo/upload/*rest',
  load,
  view: (place: CommitTarget, visit) => <UploadView place={place} visit={visit} />,
})

/** Gives 422 for no files, too many, or two of one name. */
function changesOf(files: readonly UploadedFile[] | null, folder: string): FileEdit[] {
  const refuse = (message: string) => new Refusal('invalid', message, { field: 'files' })
  if (files === null)
    throw refuse(
      t('These files have more than {maxUploadBytes} together. Push them with git.', {
        maxUploadBytes: bytesText(MAX_UPLOAD_BYTES),
      }),
    )
  if (files.length === 0) throw refuse(t('Choose at least one file.'))
  if (files.length > MAX_FILES)
    throw refuse(
      t('A commit takes {maxFiles} files at once, and these are {files}.', {
        maxFiles: MAX_FILES,
        files: files.length,
      }),
    )
  const changes = files.map(({ name, data }) => ({
    path: folder === '' ? name : `${folder}/${name}`,
    action: 'put' as const,
    content: Buffer.from(data).toString('base64'),
    encoding: 'base64' as const,
  }))
  if (new Set(changes.map(({ path }) => path)).size < changes.length)
    throw refuse(t('Two of these files have the same name.'))
  return changes
}

export const uploadForm = uploads({
  path: '/:workspace/:repo/upload/*rest',
  page: uploadPage,
  maxUploadBytes: MAX_UPLOAD_BYTES,
  submit: async (visit, fields, files) => {
    const repo = await repoToChange(visit)
    const folder = trimSlashes(fields.text('folder').trim())
    const changes = changesOf(files, folder)
    const branch = fields.text('branch')
    const only = changes.length === 1 ? changes[0]?.path.split('/').at(-1) : undefined
    const wanted = {
      repo: repoOf(visit),
      branch,
      files: changes,
      ...readDestination(fields, repo.permissions.write),
      expected_head: fields.text('expected_head'),
      title:
        fields.text('message').trim() ||
        (only === undefined
          ? t('Add {files}', { files: tn('{count} file', '{count} files', changes.length) })
          : t('Add {only}', { only })),
      body: fields.text('description').trim(),
    }
    // Uploads replace whole files, so they still apply to a branch that has moved.
    const isThere = async () =>
      (await visit.tryCall(getBranch, { repo: wanted.repo, branch })) !== null
    try {
      return await commitChange(
        visit,
        wanted,
        codePath(repo.full_name, 'tree', branch, folder),
        isThere,
      )
    } catch (error) {
      // Errors about the files of the commit belong to this field.
      if (error instanceof Refusal && error.field?.startsWith('files'))
        throw new Refusal(error.code, error.message, { field: 'files' })
      throw error
    }
  },
})
