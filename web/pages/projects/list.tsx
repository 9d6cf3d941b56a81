// The projects of a workspace, and the form for a new one.
import {
  createProject,
  getWorkspace,
  listProjects,
  type Project,
} from '#features/workspaces/index.ts'
import { slugify } from '#lib/slug.ts'
import {
  Button,
  Card,
  EmptyState,
  Field,
  Form,
  FormActions,
  LinkButton,
  List,
  PageHead,
  Pager,
  Row,
} from '../../components/index.ts'
import { projectPath, withQuery, workspacePath } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { form, page, redirectWithFlash, type Visit } from '../../site.ts'
import { t, tn } from '../../text.ts'
import { fieldError, formError } from '../shell.tsx'
import { WorkspaceFrame } from '../workspaces/frame.tsx'
import { chosenRepos, loadRepoChoices, RepoChoices } from './repo-choices.tsx'

export const workspaceOf = (visit: Visit): string => visit.params.workspace ?? ''

const ProjectRow = ({ project, workspace }: { project: Project; workspace: string }) => (
  <Row
    title={
      <a dir="auto" href={projectPath(workspace, project.slug)}>
        {project.name}
      </a>
    }
    meta={
      <span>{tn('{count} repository', '{count} repositories', project.repositories.length)}</span>
    }
  >
    {project.description && (
      <p class="muted" dir="auto">
        {project.description}
      </p>
    )}
  </Row>
)

const NewProjectLink = ({ workspace }: { workspace: string }) => (
  <LinkButton href={workspacePath(workspace, 'new-project')} variant="primary" icon="plus">
    {t('New project')}
  </LinkButton>
)

export const projectsPage = page({
  path: '/:workspace/-/projects',
  load: async (visit) => {
    const workspace = workspaceOf(visit)
    const number = pageNumber(visit)
    return {
      workspace: await visit.call(getWorkspace, { workspace }),
      projects: await visit.call(listProjects, { workspace, page: number, per_page: 50 }),
      number,
    }
  },
  view: ({ workspace, projects, number }, visit) => {
    const here = workspacePath(workspace.slug, 'projects')
    return (
      <WorkspaceFrame visit={visit} workspace={workspace} title={t('Projects')} current="projects">
        <PageHead
          title={t('Projects')}
          lead={t('Issues of several repositories on one board.')}
          actions={<NewProjectLink workspace={workspace.slug} />}
        />
        {projects.items.length === 0 ? (
          <EmptyState
            icon="milestone"
            title={t('No projects yet')}
            actions={<NewProjectLink workspace={workspace.slug} />}
          >
            {t('A project shows the issues of its repositories as a board.')}
          </EmptyState>
        ) : (
          <List label={t('Projects')}>
            {projects.items.map((project) => (
              <ProjectRow project={project} workspace={workspace.slug} />
            ))}
          </List>
        )}
        <Pager
          newer={number > 1 ? withQuery(here, { page: number - 1 }) : null}
          older={projects.next === null ? null : withQuery(here, { page: number + 1 })}
        />
      </WorkspaceFrame>
    )
  },
})

export const newProjectPage = page({
  path: '/:workspace/-/new-project',
  load: async (visit) => {
    const workspace = await visit.call(getWorkspace, { workspace: workspaceOf(visit) })
    return {
      workspace,
      // Reading the list is for members only, as making a project is.
      projects: await visit.call(listProjects, { workspace: workspace.slug, per_page: 1 }),
      choices: await loadRepoChoices(visit, workspace.slug, visit.form.values.all('repos')),
    }
  },
  view: ({ workspace, choices }, visit) => {
    const typed = visit.form.values
    return (
      <WorkspaceFrame
        visit={visit}
        workspace={workspace}
        title={t('New project')}
        current="projects"
      >
        <PageHead title={t('New project')} />
        <Card>
          <Form
            action={workspacePath(workspace.slug, 'new-project')}
            csrf={visit.csrf}
            error={formError(visit, 'name', 'slug', 'description')}
          >
            <Field
              name="name"
              label={t('Name')}
              required
              maxlength={80}
              autofocus
              value={typed.text('name')}
              error={fieldError(visit, 'name')}
            />
            <Field
              name="slug"
              label={t('Slug')}
              mono
              maxlength={39}
              hint={t('For the address; made from the name when left empty.')}
              value={typed.text('slug')}
              error={fieldError(visit, 'slug')}
            />
            <Field
              name="description"
              label={t('Description')}
              maxlength={160}
              value={typed.text('description')}
              error={fieldError(visit, 'description')}
            />
            <RepoChoices choices={choices} workspace={workspace.slug} />
            <FormActions>
              <Button variant="primary">{t('Create project')}</Button>
            </FormActions>
          </Form>
        </Card>
      </WorkspaceFrame>
    )
  },
})

export const newProjectForm = form({
  path: '/:workspace/-/new-project',
  page: newProjectPage,
  operation: createProject,
  input: (fields, visit) => ({
    workspace: workspaceOf(visit),
    name: fields.text('name'),
    slug: fields.optional('slug') ?? slugify(fields.text('name')),
    description: fields.text('description'),
    repos: chosenRepos(fields, workspaceOf(visit)),
  }),
  done: (project, visit) =>
    redirectWithFlash(visit, projectPath(workspaceOf(visit), project.slug), 'project-made'),
})
