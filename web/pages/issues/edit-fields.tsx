// The edit page of an issue or a pull request: their common fields, and places for those of one of
// them.
import type { Issue, Label } from '#features/issues/index.ts'
import type { Pull } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
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
import type { Child } from '../../jsx/html.ts'
import type { Fields, Visit } from '../../site.ts'
import { RepoFrame } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'

/** The typed value of a refused form, else the stored one. */
export const typedOr = (visit: Visit, name: string, stored: string): string =>
  visit.form.values.has(name) ? visit.form.values.text(name) : stored

type Props = {
  visit: Visit
  repo: Repo
  record: Pick<Issue & Pull, 'number' | 'title' | 'body' | 'labels' | 'assignees'>
  what: 'issue' | 'pull request'
  here: string
  labels?: readonly Label[]
  /** The names of the fields of this page only. */
  own: readonly string[]
  /** The fields that everyone has who may edit, and those for the triage role. */
  more?: Child
  triage?: Child
}

const LabelFields = ({
  visit,
  labels,
  record,
  triage,
}: {
  visit: Visit
  labels: readonly Label[] | undefined
  record: Props['record']
  triage: Child
}) => (
  <>
    <Field
      name="labels"
      label="Labels"
      hint="Separated by commas; a new name makes a new label."
      suggestions={labels?.map(({ name }) => name)}
      value={typedOr(visit, 'labels', record.labels.join(', '))}
      error={fieldError(visit, 'labels')}
    />
    <Field
      name="assignees"
      label="Assignees"
      mono
      hint="Usernames, separated by commas."
      value={typedOr(
        visit,
        'assignees',
        record.assignees.map(({ username }) => username).join(', '),
      )}
      error={fieldError(visit, 'assignees')}
    />
    {triage}
  </>
)

export const EditRecord = ({
  visit,
  repo,
  record,
  what,
  here,
  labels,
  own,
  more,
  triage,
}: Props) => (
  <RepoFrame
    visit={visit}
    repo={repo}
    title={`Edit #${record.number}`}
    current={what === 'issue' ? 'issues' : 'pulls'}
    width="narrow"
  >
    <PageHead title={`Edit ${what} #${record.number}`} />
    <Card>
      <Form
        action={`${here}/edit`}
        csrf={visit.csrf}
        error={formError(visit, 'title', 'body', 'labels', 'assignees', ...own)}
      >
        <Field
          name="title"
          label="Title"
          required
          maxlength={256}
          value={typedOr(visit, 'title', record.title)}
          error={fieldError(visit, 'title')}
        />
        <TextArea
          name="body"
          label="Description"
          rows={9}
          markdown={repo.full_name}
          value={typedOr(visit, 'body', record.body)}
          error={fieldError(visit, 'body')}
        />
        {repo.permissions.triage && (
          <LabelFields visit={visit} labels={labels} record={record} triage={triage} />
        )}
        {more}
        <FormActions>
          <Button variant="primary">Save</Button>
          <LinkButton href={here} variant="quiet">
            Cancel
          </LinkButton>
        </FormActions>
      </Form>
    </Card>
  </RepoFrame>
)

/** The common fields of both forms. Fields that the page does not have stay unchanged. */
export const editedOf = (fields: Fields) => ({
  title: fields.text('title').trim(),
  body: fields.text('body'),
  ...(fields.has('labels') ? { labels: fields.list('labels', ',') } : {}),
  ...(fields.has('assignees') ? { assignees: fields.list('assignees', /[\s,]+/) } : {}),
})
