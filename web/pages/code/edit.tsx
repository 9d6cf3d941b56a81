import { Button, Card, CodeView, Field, FieldSet, FileFrame, Form, FormActions, LinkButton, Notice, PageHead, Radio, TextArea } from '../../components/index.ts'
import { highlightBlob } from '../../highlight.ts'
import { codePath, comparePath, repoPath, segments } from '../../paths.ts'
import { action, page, type Form as SiteForm, type Page, type Visit } from '../../site.ts'
import { RepoFrame } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { defaultMessage, submitEdit } from './edit-form.ts'
import { loadEdit, type EditData, type EditMode } from './edit-load.ts'
import { PathCrumbs } from './frame.tsx'

const TITLES = { edit: 'Edit', new: 'New file', delete: 'Delete' } as const

/** The address of the editor for a file, of a new file in a folder, or of the page that deletes one. */
export const editPath = (repo: string, mode: EditMode, branch: string, path: string): string =>
  repoPath(repo, `/${mode}/${segments(branch)}${path === '' ? '' : `/${segments(path)}`}`)

/** A name for a branch that is likely to be free. */
const branchName = (visit: Visit, { path, head }: EditData): string => {
  const word = (path.split('/').at(-1) ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 30)
  return `${visit.viewer?.username ?? 'patch'}/${word || 'change'}-${(head ?? 'first').slice(0, 5)}`
}

const Target = ({ data, visit }: { data: EditData; visit: Visit }) => {
  const { values } = visit.form
  const chosen = data.barred ? 'new' : values.text('target') || 'branch'
  if (data.head === null) return <input type="hidden" name="target" value="branch" />
  return (
    <FieldSet legend="Where it goes" hint={data.barred ? `${data.branch} is protected: changes come to it through pull requests.` : undefined}>
      <Radio id="target-branch" name="target" value="branch" label={<>Commit to <code>{data.branch}</code></>} checked={chosen === 'branch'} />
      <Radio id="target-new" name="target" value="new" label="Commit to a new branch and open a pull request" checked={chosen === 'new'} />
      <Field name="new_branch" label="Name of the new branch" mono maxlength={255} value={values.optional('new_branch') ?? branchName(visit, data)} error={fieldError(visit, 'new_branch')} />
    </FieldSet>
  )
}

/** What is on the branch now, beside what somebody has typed. */
const Theirs = ({ data, visit }: { data: EditData; visit: Visit }) => {
  const { repo, branch, file, head, path } = data
  const before = visit.form.values.text('expected_head')
  return (
    <>
      <Notice kind="wait" title={file === null ? `${path} is gone from ${branch}` : `${path} has changed on ${branch} since you opened it`}>
        <p>
          What you typed is still here. Take over what you need from the version below; committing again puts yours in its place.{' '}
          {head !== null && before !== '' && <a href={comparePath(repo.full_name, before, head, true)}>See what has changed</a>}
        </p>
      </Notice>
      {file !== null && file.problem === null && (
        <FileFrame name={`${path} on ${branch} now`}>
          <CodeView lines={highlightBlob({ oid: file.oid, path, text: file.text })} label={`${path} on ${branch} now`} />
        </FileFrame>
      )}
    </>
  )
}

const Content = ({ text, path, error }: { text: string; path: string; error: string | null }) => (
  <div class={['field', error !== null && 'field-bad']}>
    <label for="field-content">Content</label>
    <textarea class="input mono editor" id="field-content" name="content" rows={24} wrap="off" spellcheck="false" autocomplete="off" aria-label={`Content of ${path}`} aria-invalid={error !== null ? 'true' : undefined} aria-describedby={error !== null ? 'field-content-error' : undefined}>
      {text}
    </textarea>
    {error !== null && <p class="field-error" id="field-content-error">{error}</p>}
  </div>
)

const EditView = ({ data, visit }: { data: EditData; visit: Visit }) => {
  const { mode, repo, branch, path, file, head, moved } = data
  const { values } = visit.form
  const sent = values.has('branch')
  const here = visit.url.pathname
  const from = sent ? values.text('from') : mode === 'new' ? '' : path
  const typed = sent ? values.text('path') : mode === 'new' && path !== '' ? `${path}/` : path
  const back = mode === 'new' ? codePath(repo.full_name, 'tree', branch, path) : codePath(repo.full_name, 'blob', branch, path)
  // Browsers send lines with LF here, so the mark tells what they were.
  const crlf = sent ? values.ticked('crlf') : (file?.crlf ?? false)
  return (
    <RepoFrame visit={visit} repo={repo} title={mode === 'new' ? TITLES.new : `${TITLES[mode]} ${path}`} current="code" width={mode === 'delete' ? 'narrow' : 'wide'}>
      <PageHead title={mode === 'new' ? TITLES.new : `${TITLES[mode]} ${path.split('/').at(-1)}`} />
      {repo.empty || <div class="code-bar"><PathCrumbs repo={repo} current={branch} path={path} /></div>}
      {file?.problem && mode === 'edit' ? (
        <Notice title="This file cannot be edited here"><p>{file.problem} <a href={back}>Back to the file</a></p></Notice>
      ) : (
        <>
          {moved && <Theirs data={data} visit={visit} />}
          <Form action={here} csrf={visit.csrf} label={`${TITLES[mode]} ${path}`} error={formError(visit, 'path', 'content', 'new_branch')}>
            <input type="hidden" name="branch" value={branch} />
            <input type="hidden" name="from" value={from} />
            <input type="hidden" name="expected_head" value={head ?? ''} />
            <input type="hidden" name="oid" value={file?.oid ?? ''} />
            {crlf && <input type="hidden" name="crlf" value="1" />}
            {mode !== 'delete' && <Field name="path" label="Path" required mono maxlength={4096} autofocus={mode === 'new'} value={typed} error={fieldError(visit, 'path')} hint={mode === 'edit' ? 'Another path renames or moves the file.' : 'Slashes make folders.'} />}
            {mode !== 'delete' && <Content text={sent ? values.text('content') : (file?.text ?? '').replaceAll('\r\n', '\n')} path={typed || 'the new file'} error={fieldError(visit, 'content')} />}
            <Card title={mode === 'delete' ? `Delete ${path}` : 'Commit'}>
              <Field name="message" label="Message" maxlength={500} value={values.text('message')} placeholder={mode === 'new' ? 'Add …' : defaultMessage(mode, path, path)} />
              <TextArea name="description" label="Description" rows={3} value={values.text('description')} hint="Why, for those who read the history." />
              <Target data={data} visit={visit} />
              <FormActions>
                <Button look={mode === 'delete' ? 'danger' : 'primary'}>{mode === 'delete' ? 'Delete the file' : 'Commit'}</Button>
                <LinkButton href={repo.empty ? repoPath(repo.full_name) : back} look="quiet">Cancel</LinkButton>
              </FormActions>
            </Card>
          </Form>
        </>
      )}
    </RepoFrame>
  )
}

const editPage = (mode: EditMode): Page =>
  page({ path: `/:workspace/:repo/${mode}/*rest`, load: (visit) => loadEdit(visit, mode), view: (data: EditData, visit) => <EditView data={data} visit={visit} /> })

const modes = ['edit', 'new', 'delete'] as const

export const editPages: readonly Page[] = modes.map(editPage)

export const editForms: readonly SiteForm[] = modes.map((mode, at) => action({ path: `/:workspace/:repo/${mode}/*rest`, page: editPages[at] ?? null, submit: submitEdit(mode) }))
