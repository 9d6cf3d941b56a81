// The edit page of an issue or a pull request: their common fields, and places for those of one of
// them.
import type { Issue } from '#features/issues/index.ts'
import type { Pull } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  Button,
  Columns,
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
import { AssigneesBlock, LabelsBlock, MilestoneBlock } from './pick-block.tsx'
import type { SideChoices } from './side-load.ts'
import { t } from '../../text.ts'

/** The typed value of a refused form, else the stored one. */
export const typedOr = (visit: Visit, name: string, stored: string): string =>
  visit.form.values.has(name) ? visit.form.values.text(name) : stored

type Props = {
  visit: Visit
  repo: Repo
  record: Pick<Issue & Pull, 'number' | 'title' | 'body' | 'labels' | 'assignees' | 'milestone'>
  what: 'issue' | 'pull request'
  here: string
  /** What the pickers offer. */
  choices: SideChoices
  /** The names of the fields of this page only. */
  own: readonly string[]
  /** The fields that everyone has who may edit, and those for the triage role. */
  more?: Child
  triage?: Child
}

const EditSide = ({
  visit,
  record,
  choices: { labels, people, milestones },
}: Pick<Props, 'visit' | 'record' | 'choices'>) => (
  // A closed milestone and people who left stay among the options.
  <>
    <LabelsBlock visit={visit} labels={labels} chosen={record.labels} mayCreate />
    <AssigneesBlock
      visit={visit}
      people={people}
      stored={record.assignees}
      chosen={record.assignees.map(({ username }) => username)}
    />
    <MilestoneBlock visit={visit} milestones={milestones} stored={record.milestone} />
  </>
)

const EditForm = ({ visit, repo, record, here, choices, own, more, triage }: Props) => {
  const fields = (
    <div class="form">
      <Field
        name="title"
        label={t('Title')}
        required
        maxlength={256}
        value={typedOr(visit, 'title', record.title)}
        error={fieldError(visit, 'title')}
      />
      <TextArea
        name="body"
        label={t('Description')}
        rows={9}
        markdown={repo.full_name}
        value={typedOr(visit, 'body', record.body)}
        error={fieldError(visit, 'body')}
      />
      {repo.permissions.triage && triage}
      {more}
    </div>
  )
  return (
    <Form
      action={`${here}/edit`}
      csrf={visit.csrf}
      error={formError(visit, 'title', 'body', 'labels', 'assignees', 'milestone', ...own)}
    >
      {repo.permissions.triage ? (
        <Columns where="right" side={<EditSide visit={visit} record={record} choices={choices} />}>
          {fields}
        </Columns>
      ) : (
        fields
      )}
      <FormActions>
        <Button variant="primary">{t('Save')}</Button>
        <LinkButton href={here} variant="quiet">
          {t('Cancel')}
        </LinkButton>
      </FormActions>
    </Form>
  )
}

export const EditRecord = (props: Props) => {
  const { visit, repo, record, what } = props
  return (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={t('Edit #{number}', { number: record.number })}
      current={what === 'issue' ? 'issues' : 'pulls'}
    >
      <PageHead
        title={
          what === 'issue'
            ? t('Edit issue #{number}', { number: record.number })
            : t('Edit pull request #{number}', { number: record.number })
        }
      />
      <EditForm {...props} />
    </RepoFrame>
  )
}

/** The common fields of both forms. Fields that the page does not have stay unchanged. */
export const editedOf = (fields: Fields) => ({
  title: fields.text('title').trim(),
  body: fields.text('body'),
  ...(fields.has('labels') ? { labels: fields.list('labels', ',') } : {}),
  ...(fields.has('assignees') ? { assignees: fields.list('assignees', /[\s,]+/) } : {}),
  ...(fields.has('milestone') ? { milestone: fields.text('milestone') } : {}),
})
