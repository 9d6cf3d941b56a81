// The settings of a project: its name and repositories, the columns of its board, its end.
import { COLUMN_KINDS, getProjectBoard, setProjectBoard } from '#features/boards/index.ts'
import {
  deleteProject,
  type Project,
  updateProject,
  type Workspace,
} from '#features/workspaces/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Field,
  FieldSet,
  Form,
  FormActions,
  LinkButton,
  PageHead,
  Select,
} from '../../components/index.ts'
import { projectPath, workspacePath } from '../../paths.ts'
import { type Fields, form, page, redirectWithFlash, type Visit } from '../../site.ts'
import { rich, t } from '../../text.ts'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { WorkspaceFrame } from '../workspaces/frame.tsx'
import { loadProject, projectOf } from './board.tsx'
import { workspaceOf } from './list.tsx'
import { chosenRepos, loadRepoChoices, RepoChoices } from './repo-choices.tsx'

type Data = {
  workspace: Workspace
  project: Project
  columns: readonly ColumnFields[]
  choices: RepoChoices
}

type ColumnFields = { name: string; kind: string; label: string }

const settingsPath = (visit: Visit, rest = ''): string =>
  projectPath(workspaceOf(visit), projectOf(visit), `/settings${rest}`)

const General = ({ visit, project, choices, workspace }: Data & { visit: Visit }) => {
  const typed = visit.form.values
  return (
    <Card title={t('Project')}>
      <Form
        action={settingsPath(visit)}
        csrf={visit.csrf}
        error={formError(visit, 'name', 'description')}
      >
        <Field
          name="name"
          label={t('Name')}
          required
          maxlength={80}
          value={typed.has('name') ? typed.text('name') : project.name}
          error={fieldError(visit, 'name')}
        />
        <Field
          name="description"
          label={t('Description')}
          maxlength={160}
          value={typed.has('description') ? typed.text('description') : project.description}
          error={fieldError(visit, 'description')}
        />
        <RepoChoices choices={choices} workspace={workspace.slug} />
        <FormActions>
          <Button variant="primary">{t('Save')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

const kindLabel = (kind: (typeof COLUMN_KINDS)[number]): string =>
  ({
    open: t('Open issues in no other column'),
    label: t('Open issues with the label'),
    closed: t('Closed issues'),
  })[kind]

const ColumnRow = ({ column, at, isNew }: { column: ColumnFields; at: number; isNew: boolean }) => (
  <FieldSet legend={isNew ? t('New column') : t('Column {number}', { number: at + 1 })}>
    <div class="column-fields">
      <Field
        name="column_name"
        id={`column-name-${at}`}
        label={t('Name')}
        maxlength={50}
        value={column.name}
        unmarked
      />
      <Select
        name="column_kind"
        id={`column-kind-${at}`}
        label={t('Shows')}
        value={column.kind}
        options={COLUMN_KINDS.map((kind) => ({ value: kind, label: kindLabel(kind) }))}
      />
      <Field
        name="column_label"
        id={`column-label-${at}`}
        label={t('Label')}
        maxlength={50}
        value={column.label}
        unmarked
      />
      <Field
        name="column_position"
        id={`column-position-${at}`}
        label={t('Position')}
        type="number"
        min={1}
        max={99}
        value={at + 1}
        unmarked
      />
    </div>
  </FieldSet>
)

const Columns = ({ visit, columns }: { visit: Visit; columns: readonly ColumnFields[] }) => (
  <Card title={t('Columns')}>
    <Form action={settingsPath(visit, '/columns')} csrf={visit.csrf} error={formError(visit)}>
      <p class="hint">
        {t(
          'Moving a card into a column gives the issue its label, closes it or reopens it. A column whose name is removed is removed; its issues stay.',
        )}
      </p>
      {[...columns, { name: '', kind: 'label', label: '' }].map((column, at) => (
        <ColumnRow column={column} at={at} isNew={at === columns.length} />
      ))}
      <FormActions>
        <Button variant="primary">{t('Save columns')}</Button>
      </FormActions>
    </Form>
  </Card>
)

/** The rows of the form in the order of their positions, without those that have no name. */
function columnsIn(fields: Fields): ColumnFields[] {
  const [kinds, labels, positions] = ['column_kind', 'column_label', 'column_position'].map(
    (name) => fields.all(name),
  )
  return fields
    .all('column_name')
    .map((name, at) => ({
      name: name.trim(),
      kind: kinds?.[at] ?? 'label',
      label: labels?.[at] ?? '',
      position: Number(positions?.[at] ?? 99),
    }))
    .filter(({ name }) => name !== '')
    .sort((a, b) => a.position - b.position)
    .map(({ name, kind, label }) => ({ name, kind, label }))
}

export const projectSettingsPage = page({
  path: '/:workspace/-/projects/:project/settings',
  load: async (visit): Promise<Data> => {
    const found = await loadProject(visit)
    const { workspace, project } = found
    const board = await visit.call(getProjectBoard, {
      workspace: workspace.slug,
      project: project.slug,
      limit: 1,
    })
    const typed = visitForForm(visit, settingsPath(visit, '/columns')).form
    const columns = typed.error ? columnsIn(typed.values) : board.columns
    return {
      ...found,
      columns: columns.map(({ name, kind, label }) => ({ name, kind, label: label ?? '' })),
      choices: await loadRepoChoices(visit, workspace.slug, project.repositories),
    }
  },
  view: (data, visit) => {
    const { workspace, project, columns } = data
    return (
      <WorkspaceFrame
        visit={visit}
        workspace={workspace}
        title={t('Settings of {name}', { name: project.name })}
        current="projects"
      >
        <PageHead
          title={t('Settings of {name}', { name: project.name })}
          actions={
            <LinkButton href={projectPath(workspace.slug, project.slug)} small>
              {t('Board')}
            </LinkButton>
          }
        />
        <General {...data} visit={visitForForm(visit, settingsPath(visit))} />
        <Columns visit={visitForForm(visit, settingsPath(visit, '/columns'))} columns={columns} />
        {workspace.role === 'owner' && (
          <Card title={t('Delete project')} tone="bad">
            <p>{t('Its repositories and issues stay.')}</p>
            <ActionButton action={settingsPath(visit, '/delete')} csrf={visit.csrf}>
              <Button variant="danger" icon="trash">
                {rich('Delete {name}', { name: project.name })}
              </Button>
            </ActionButton>
          </Card>
        )}
      </WorkspaceFrame>
    )
  },
})

const saveProjectForm = form({
  path: '/:workspace/-/projects/:project/settings',
  page: projectSettingsPage,
  operation: updateProject,
  input: (fields, visit) => ({
    workspace: workspaceOf(visit),
    project: projectOf(visit),
    name: fields.text('name'),
    description: fields.text('description'),
    repos: chosenRepos(fields, workspaceOf(visit)),
  }),
  done: (_, visit) => redirectWithFlash(visit, settingsPath(visit), 'project-saved'),
})

const saveColumnsForm = form({
  path: '/:workspace/-/projects/:project/settings/columns',
  page: projectSettingsPage,
  operation: setProjectBoard,
  input: (fields, visit) => ({
    workspace: workspaceOf(visit),
    project: projectOf(visit),
    columns: columnsIn(fields).map(({ name, kind, label }) => ({
      name,
      kind: COLUMN_KINDS.find((known) => known === kind) ?? 'label',
      label: label.trim() === '' ? undefined : label,
    })),
  }),
  done: (_, visit) => redirectWithFlash(visit, settingsPath(visit), 'columns-saved'),
})

const deleteProjectForm = form({
  path: '/:workspace/-/projects/:project/settings/delete',
  operation: deleteProject,
  input: (_, visit) => ({ workspace: workspaceOf(visit), project: projectOf(visit) }),
  done: (_, visit) =>
    redirectWithFlash(visit, workspacePath(workspaceOf(visit), 'projects'), 'project-deleted'),
})

export const projectSettingsForms = [saveProjectForm, saveColumnsForm, deleteProjectForm]
