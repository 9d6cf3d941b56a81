import { encodePath } from '#lib/percent-encoding.ts'
import {
  Button,
  Card,
  CodeView,
  DiffView,
  Field,
  FieldSet,
  FileFrame,
  Form,
  FormActions,
  LinkButton,
  MarkdownBody,
  Notice,
  PageHead,
  Radio,
  TextArea,
} from '../../components/index.ts'
import { editorPath } from '../../assets.ts'
import { grammarOfPath } from '../../highlight.ts'
import { raw, renderChild } from '../../jsx/html.ts'
import type { Repo } from '#features/repos/index.ts'
import { FIRST_WORKFLOW } from '#features/workflows/index.ts'
import { partOfChange } from './change-parts.ts'
import { documentMarkdown } from './readme.tsx'
import { codePath, comparePath, repoPath } from '../../paths.ts'
import {
  pageResponse,
  action,
  DirectResponse,
  page,
  type Form as SiteForm,
  type Page,
  type Visit,
  type Fields,
} from '../../site.ts'
import { RepoFrame } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { BypassLinks } from '../security/bypass-links.tsx'
import { defaultMessage, submitEdit, typedOf } from './edit-form.ts'
import { loadEdit, type BranchBarrier, type EditData, type EditMode } from './edit-load.ts'
import { MARKDOWN_FILE } from '../../markdown/addresses.ts'
import { PathCrumbs } from './frame.tsx'
import { rich, t, texts } from '../../text.ts'

const TITLES = texts({ edit: 'Edit', new: 'New file', delete: 'Delete' } as const)

/**
 * The address of the editor for a file, for a new file in a directory, or for the deletion of a
 * file.
 */
export const editPath = (repo: string, mode: EditMode, branch: string, path: string): string =>
  repoPath(repo, `/${mode}/${encodePath(branch)}${path === '' ? '' : `/${encodePath(path)}`}`)

/** A suggested name for a branch, which is probably free. */
const branchName = (visit: Visit, path: string, head: string | null): string => {
  const word = (path.split('/').at(-1) ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 30)
  return `${visit.viewer?.username ?? 'patch'}/${word || 'change'}-${(head ?? 'first').slice(0, 5)}`
}

export type CommitTarget = {
  readonly repo: Repo
  readonly branch: string
  readonly head: string | null
  readonly path: string
  readonly barrier: BranchBarrier
}

const NewBranchField = ({ place, visit }: { place: CommitTarget; visit: Visit }) => (
  <Field
    name="new_branch"
    label={t('Name of the new branch')}
    mono
    maxlength={255}
    value={visit.form.values.optional('new_branch') ?? branchName(visit, place.path, place.head)}
    error={fieldError(visit, 'new_branch')}
  />
)

/** The destination of a commit: a choice for users with write access, else the fork. */
export const CommitTargetFields = ({ place, visit }: { place: CommitTarget; visit: Visit }) => {
  const { repo, branch, head, barrier } = place
  const { values } = visit.form
  if (!repo.permissions.write)
    return (
      <p class="hint">
        {rich(
          'You have no write access to {full_name}. The change goes to a fork, and a pull request to {branch} is opened.',
          { full_name: repo.full_name, branch: <code>{branch}</code> },
        )}
      </p>
    )
  if (head === null) return <input type="hidden" name="target" value="branch" />
  if (barrier === 'protection')
    return (
      <>
        <p class="hint">
          {rich(
            '{branch} is protected. The change goes to a new branch, and a pull request to {branch} is opened.',
            { branch: <code>{branch}</code> },
          )}
        </p>
        <input type="hidden" name="target" value="new" />
        <NewBranchField place={place} visit={visit} />
      </>
    )
  const chosen = values.text('target') || (barrier === 'ruleset' ? 'new' : 'branch')
  return (
    <FieldSet
      legend={t('Branch')}
      hint={
        barrier === 'ruleset'
          ? t(
              'A ruleset of {branch} requires a pull request. Only those who may bypass it commit directly.',
              { branch },
            )
          : undefined
      }
    >
      <Radio
        id="target-branch"
        name="target"
        value="branch"
        label={rich('Commit to {branch}', { branch: <code>{branch}</code> })}
        checked={chosen === 'branch'}
      />
      <Radio
        id="target-new"
        name="target"
        value="new"
        label={t('Commit to a new branch and open a pull request')}
        checked={chosen === 'new'}
      />
      <NewBranchField place={place} visit={visit} />
    </FieldSet>
  )
}

/** What the preview has of the change, and of the rendered text. */
const CHANGE_PART = {
  split: false,
  queryBytes: 0,
  canComment: false,
  maxBytes: 36_000,
  isTreeWhole: true,
}
const MAX_DOCUMENT_BYTES = 36_000

/** The preview: the change, and the rendered text of a document. */
const Preview = ({ data, visit }: { data: EditData; visit: Visit }) => {
  const { repo, branch, preview } = data
  const { path, content } = typedOf(visit.form.values)
  const change = preview === null ? null : partOfChange([preview], '', CHANGE_PART)
  return (
    <section id="preview" class="stack" aria-label={t('Preview')}>
      {preview === null ||
      (preview.hunks.length === 0 && preview.reason === null && preview.old_path === null) ? (
        <Notice>{t('There are no changes yet.')}</Notice>
      ) : (
        <DiffView
          files={change?.files ?? []}
          options={{ page: visit.markdown, room: change?.room }}
        />
      )}
      {change !== null && change.after !== null && (
        <p class="whole-text">{t('The preview shows the beginning of the change.')}</p>
      )}
      {MARKDOWN_FILE.test(path) && (
        <FileFrame name={t('{path} as it will look', { path })}>
          <MarkdownBody
            text={content}
            options={documentMarkdown(visit, {
              repo: repo.full_name,
              ref: branch,
              dir: path.split('/').slice(0, -1).join('/'),
            })}
            whole={{ href: null, maxBytes: MAX_DOCUMENT_BYTES }}
          />
        </FileFrame>
      )}
    </section>
  )
}

/** The version that is on the branch now, beside what the user typed. */
const Theirs = ({ data, visit }: { data: EditData; visit: Visit }) => {
  const { repo, branch, file, head, path } = data
  const before = visit.form.values.text('expected_head')
  return (
    <>
      <Notice
        kind="wait"
        title={
          file === null
            ? t('{path} is gone from {branch}', { path, branch })
            : t('{path} has changed on {branch} since you opened it', { path, branch })
        }
      >
        <p>
          {rich(
            'What you typed is still here. Take over what you need from the version below; committing again puts yours in its place. {head}',
            {
              head: head !== null && before !== '' && (
                <a href={comparePath(repo.full_name, before, head, true)}>
                  {t('See what has changed')}
                </a>
              ),
            },
          )}
        </p>
      </Notice>
      {file !== null && file.problem === null && (
        <FileFrame name={t('{path} on {branch} now', { path, branch })}>
          {raw(
            visit.markdown.placeSource([file.text], grammarOfPath(path), ([lines = []]) =>
              renderChild(
                <CodeView lines={lines} label={t('{path} on {branch} now', { path, branch })} />,
              ),
            ),
          )}
        </FileFrame>
      )}
    </>
  )
}

const Content = ({
  text,
  path,
  oid,
  error,
}: {
  text: string
  path: string
  oid: string
  error: string | null
}) => (
  <div class={['field', error !== null && 'field-bad']}>
    <label for="field-content">{t('Content')}</label>
    <textarea
      class="input mono editor"
      id="field-content"
      name="content"
      rows={24}
      spellcheck="false"
      autocomplete="off"
      data-draft={oid}
      data-editor={editorPath}
      aria-label={t('Content of {path}', { path })}
      aria-invalid={error !== null ? 'true' : undefined}
      aria-describedby={error !== null ? 'field-content-error' : undefined}
    >
      {text}
    </textarea>
    {error !== null && (
      <p class="field-error" id="field-content-error">
        {error}
      </p>
    )}
  </div>
)

const EditCommit = ({
  visit,
  repo,
  back,
  data,
  here,
  mode,
  path,
  values,
}: {
  visit: Visit
  repo: Repo
  back: string
  data: EditData
  here: string
  mode: EditMode
  path: string
  values: Fields
}) => (
  <Card title={mode === 'delete' ? t('Delete {path}', { path }) : t('Commit')}>
    <Field
      name="message"
      label={t('Message')}
      maxlength={500}
      value={values.text('message')}
      placeholder={mode === 'new' ? t('Add …') : defaultMessage(mode, path, path)}
    />
    <TextArea
      name="description"
      label={t('Description')}
      rows={3}
      value={values.text('description')}
      hint={t('Say why the change is made.')}
    />
    <CommitTargetFields place={data} visit={visit} />
    <FormActions>
      <Button variant={mode === 'delete' ? 'danger' : 'primary'}>
        {!repo.permissions.write
          ? t('Propose change')
          : mode === 'delete'
            ? t('Delete file')
            : t('Commit changes')}
      </Button>
      {mode !== 'delete' && (
        <Button
          name="then"
          value="preview"
          formaction={`${here}#preview`}
          formnovalidate
          icon="eye"
        >
          {t('Preview')}
        </Button>
      )}
      <LinkButton href={repo.empty ? repoPath(repo.full_name) : back} variant="quiet">
        {t('Cancel')}
      </LinkButton>
    </FormActions>
  </Card>
)

const PathField = ({ visit, mode, typed }: { visit: Visit; mode: EditMode; typed: string }) => (
  <Field
    name="path"
    label={t('Path')}
    required
    mono
    maxlength={4096}
    autofocus={mode === 'new'}
    value={typed}
    error={fieldError(visit, 'path')}
    hint={
      mode === 'edit'
        ? t('Change the path to rename or move the file.')
        : t('Use slashes to create folders.')
    }
  />
)

/** What a new file of a known kind begins with. */
const firstText = (mode: EditMode, path: string): string =>
  mode === 'new' && path.startsWith('.hearth/workflows/') ? FIRST_WORKFLOW : ''

/** `back` is the address that Cancel leads to. */
const EditForm = ({ data, visit, back }: { data: EditData; visit: Visit; back: string }) => {
  const { mode, repo, branch, path, file, head } = data
  const { values } = visit.form
  const sent = values.has('branch')
  const here = visit.url.pathname
  const from = sent ? values.text('from') : mode === 'new' ? '' : path
  const typed = sent
    ? values.text('path')
    : mode === 'new'
      ? (visit.url.searchParams.get('path') ?? (path === '' ? '' : `${path}/`))
      : path
  // Browsers send the lines with LF, so a field keeps what the file has.
  const crlf = sent ? values.ticked('crlf') : (file?.crlf ?? false)
  return (
    <Form
      action={here}
      csrf={visit.csrf}
      label={`${TITLES[mode]} ${path}`}
      error={formError(visit, 'path', 'content', 'new_branch')}
    >
      <BypassLinks visit={visit} />
      <input type="hidden" name="branch" value={branch} />
      <input type="hidden" name="from" value={from} />
      <input type="hidden" name="expected_head" value={head ?? ''} />
      <input type="hidden" name="oid" value={file?.oid ?? ''} />
      {crlf && <input type="hidden" name="crlf" value="1" />}
      {mode !== 'delete' && <PathField visit={visit} mode={mode} typed={typed} />}
      {mode !== 'delete' && (
        <Content
          text={
            sent
              ? values.text('content')
              : (file?.text ?? firstText(mode, typed)).replaceAll('\r\n', '\n')
          }
          path={typed || t('the new file')}
          oid={file?.oid ?? 'new'}
          error={fieldError(visit, 'content')}
        />
      )}
      {mode !== 'delete' && values.text('then') === 'preview' && (
        <Preview data={data} visit={visit} />
      )}
      <EditCommit
        visit={visit}
        repo={repo}
        back={back}
        data={data}
        here={here}
        mode={mode}
        path={path}
        values={values}
      />
    </Form>
  )
}

const EditView = ({ data, visit }: { data: EditData; visit: Visit }) => {
  const { mode, repo, branch, path, file, moved } = data
  const back = codePath(repo.full_name, mode === 'new' ? 'tree' : 'blob', branch, path)
  return (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={mode === 'new' ? TITLES.new : `${TITLES[mode]} ${path}`}
      current="code"
      width={mode === 'delete' ? 'narrow' : 'wide'}
    >
      <PageHead title={mode === 'new' ? TITLES.new : `${TITLES[mode]} ${path.split('/').at(-1)}`} />
      {repo.empty || (
        <div class="code-bar">
          <PathCrumbs repo={repo} current={branch} path={path} />
        </div>
      )}
      {file?.problem && mode === 'edit' ? (
        <Notice title={t('This file cannot be edited here')}>
          <p>
            {file.problem} <a href={back}>{t('Back to the file')}</a>
          </p>
        </Notice>
      ) : (
        <>
          {moved && <Theirs data={data} visit={visit} />}
          <EditForm data={data} visit={visit} back={back} />
        </>
      )}
    </RepoFrame>
  )
}

const editPage = (mode: EditMode): Page =>
  page({
    path: `/:workspace/:repo/${mode}/*rest`,
    load: (visit) => loadEdit(visit, mode),
    view: (data: EditData, visit) => <EditView data={data} visit={visit} />,
  })

const modes = ['edit', 'new', 'delete'] as const

export const editPages: readonly Page[] = modes.map(editPage)

/** A preview is the page again, with what was typed and nothing done. */
async function previewed(
  page: Page,
  visit: Visit,
  fields: Visit['form']['values'],
): Promise<DirectResponse> {
  const shown = await page.render({ ...visit, form: { values: fields, error: null } })
  return shown instanceof DirectResponse ? shown : pageResponse(visit, shown)
}

export const editForms: readonly SiteForm[] = modes.map((mode) => {
  const shown = editPage(mode)
  const submit = submitEdit(mode)
  return action({
    path: `/:workspace/:repo/${mode}/*rest`,
    page: shown,
    submit: (visit, fields) =>
      fields.text('then') === 'preview' ? previewed(shown, visit, fields) : submit(visit, fields),
  })
})
